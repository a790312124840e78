import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { pino } from 'pino';
import { forwardLog } from '../../../runtime/local/forward-log';

async function forwarded(lines: readonly string[]): Promise<Record<string, unknown>[]> {
  const output = new PassThrough();
  const source = Readable.from([lines.map((line) => `${line}\n`).join('')]);
  forwardLog(source, pino({ level: 'info', base: null, timestamp: false }, output));
  await finished(source);
  await new Promise(setImmediate);
  const text = String(output.read() ?? '');
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a JSON line keeps its level, message and fields', async () => {
  expect(await forwarded(['{"level":40,"time":1,"pid":7,"name":"router","pod":"a","msg":"stale"}'])).toEqual([
    { level: 40, name: 'router', pod: 'a', msg: 'stale' },
  ]);
});

test('a line below the level of the log is left out', async () => {
  expect(await forwarded(['{"level":20,"msg":"detail"}'])).toEqual([]);
});

test('what is no log line, such as a stack trace, is passed on as a warning', async () => {
  expect(await forwarded(['TypeError: x', '{"level":"high"}', '{broken'])).toEqual([
    { level: 40, msg: 'TypeError: x' },
    { level: 40, msg: '{"level":"high"}' },
    { level: 40, msg: '{broken' },
  ]);
});
