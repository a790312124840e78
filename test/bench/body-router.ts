/**
 * What the Body-Based Router costs for one request, next to `JSON.parse` of the same body in the same run:
 * `npx tsx test/bench/body-router.ts`. Bodies come in chunks of 16 KiB, as HTTP/2 frames do.
 */
import { bodyOf } from '../../runtime/body-router/body/span';
import { spliceBody } from '../../runtime/body-router/body/splice';
import { runNow } from '../../runtime/body-router/body/turns';
import { jsonFacts } from '../../runtime/body-router/json/json-facts';
import { blockHashes } from '../../runtime/body-router/prefix/block-hashes';
import type { Body } from '../../runtime/ext-proc/processor';

const CHUNK_BYTES = 16_384;
const ROUNDS = 21;

/** A chat request of about `bytes`, whose text needs as many escapes as prose with quotes does. */
function chatRequest(bytes: number): Body {
  const line = 'The quick brown fox said "hello" and\njumped over the lazy dog, again. ';
  const content = line.repeat(Math.ceil(bytes / (line.length + 3)));
  const text = JSON.stringify({ model: 'llama', stream: true, messages: [{ role: 'user', content }], max_tokens: 100 });
  const all = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let from = 0; from < all.length; from += CHUNK_BYTES) chunks.push(all.subarray(from, from + CHUNK_BYTES));
  return bodyOf(chunks);
}

/** Median microseconds of one call. */
function microseconds(calls: number, work: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    return ((performance.now() - start) * 1000) / calls;
  });
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1]!;
}

for (const [name, bytes, calls] of [
  ['4 KiB', 4096, 2000],
  ['220 KiB', 220 * 1024, 100],
] as const) {
  const body = chatRequest(bytes);
  const facts = runNow(jsonFacts(body));
  if ('refusal' in facts) throw new Error(facts.refusal);
  const scan = microseconds(calls, () => runNow(jsonFacts(body)));
  const hash = microseconds(calls, () => blockHashes(body, facts.prompt, 'llama'));
  const splice = microseconds(calls, () => spliceBody(body, facts.model!.spans, Buffer.from('"other"')));
  const parse = microseconds(calls, () => JSON.parse(Buffer.concat(body.chunks).toString('utf8')));
  const figures = Object.entries({ scan, hash, splice, 'JSON.parse': parse }).map(
    ([step, us]) => `${step} ${us.toFixed(1)} µs`,
  );
  console.log(`${name}: ${figures.join(', ')}; (scan + hash) / JSON.parse = ${((scan + hash) / parse).toFixed(2)}`);
}
