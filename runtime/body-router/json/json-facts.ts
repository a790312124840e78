import type { Body } from '../../ext-proc/processor';
import { type Span, spanBytes } from '../body/span';
import type { Sliced } from '../body/turns';
import {
  type FactsRefused,
  type FactsResult,
  MAX_MODEL_BYTES,
  MAX_PROMPT_BYTES,
  MAX_SALT_BYTES,
  type ModelFact,
} from '../request-facts';
import { scanObject } from './scan';
import type { Member } from './scanner';
import { textBytes } from './text-bytes';

/** Fields that hold the prompt, in the order in which chat templates lay them out: what conversations share comes first. */
const PROMPT_FIELDS = ['system', 'instructions', 'tools', 'messages', 'prompt', 'input'];
/** Bounds on output tokens. Which of them wins is the server's to say: taken is the largest, so that none hides another. */
const OUTPUT_FIELDS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];
const KEYS: ReadonlySet<string> = new Set(['model', 'cache_salt', 'n', ...PROMPT_FIELDS, ...OUTPUT_FIELDS]);

/** Reads an OpenAI (or Anthropic, or vLLM) JSON request without building it. */
export function* jsonFacts(body: Body): Sliced<FactsResult> {
  const scan = yield* scanObject(body, KEYS);
  if ('fault' in scan) {
    const { kind, offset, message } = scan.fault;
    return { refusal: kind === 'utf8' ? 'invalid_utf8' : 'invalid_json', values: { offset, detail: message } };
  }
  // Of repeated keys the last counts, as in JSON.parse and the model servers.
  const last = new Map<string, Member>(scan.members.map((member) => [member.key, member]));
  const model = modelFact(
    body,
    scan.members.filter((member) => member.key === 'model'),
  );
  if (model !== undefined && 'refusal' in model) return model;

  const prompt: Span[] = PROMPT_FIELDS.map((field) => last.get(field)).filter((member) => member !== undefined);
  const promptBytes = yield* textBytes(body, prompt.length > 0 ? prompt : [{ start: 0, end: body.length }]);
  const bounds = OUTPUT_FIELDS.map((field) => count(body, last.get(field))).filter((bound) => bound !== undefined);
  const answers = count(body, last.get('n')) ?? 1;
  const salt = last.get('cache_salt');
  return {
    ...(model && { model }),
    prompt,
    promptBytes: Math.min(promptBytes, MAX_PROMPT_BYTES),
    ...(bounds.length > 0 && { maxOutputTokens: Math.max(...bounds) }),
    ...(answers > 1 && { answers }),
    ...(salt?.kind === 'string' && {
      cacheSalt: { start: salt.start, end: Math.min(salt.end, salt.start + MAX_SALT_BYTES) },
    }),
  };
}

function modelFact(body: Body, members: readonly Member[]): ModelFact | FactsRefused | undefined {
  let name: string | undefined;
  for (const member of members) {
    if (member.kind !== 'string') return { refusal: 'model_not_string', values: { found: member.kind } };
    if (member.end - member.start > MAX_MODEL_BYTES) return { refusal: 'model_too_long', values: {} };
    const decoded = decodeString(body, member);
    if (name !== undefined && decoded !== name) return { refusal: 'duplicate_model', values: {} };
    name = decoded;
  }
  return name === undefined ? undefined : { name, spans: members, encode: encodeString };
}

function count(body: Body, member: Member | undefined): number | undefined {
  if (member?.kind !== 'number' || member.end - member.start > 16) return undefined;
  const value = Number(spanBytes(body, member).toString('latin1'));
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The text of a JSON string that has been scanned. */
function decodeString(body: Body, span: Span): string {
  return JSON.parse(spanBytes(body, span).toString('utf8')) as string;
}

export function encodeString(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}
