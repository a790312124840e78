import { BodyBudget } from '../../../runtime/ext-proc/body-budget';
import { newCounters } from '../../../runtime/ext-proc/counters';
import { GRPC_STATUS } from '../../../runtime/ext-proc/grpc-status';
import { ProcessStream } from '../../../runtime/ext-proc/process-stream';
import {
  type Answer,
  CONTINUE,
  HELD,
  type ImmediateAnswer,
  type ProcessorStream,
} from '../../../runtime/ext-proc/processor';
import { frame, GOLDEN_ANSWERS, goldenFrame, requestBodyMessage } from './golden';

const REFUSAL: ImmediateAnswer = { kind: 'immediate', status: 503, headers: [], body: 'full', details: 'full' };
const CONTINUE_HEADERS = frame(Buffer.from(GOLDEN_ANSWERS.continue.requestHeaders, 'hex')).toString('hex');
const CONTINUE_BODY = frame(Buffer.from(GOLDEN_ANSWERS.continue.requestBody, 'hex')).toString('hex');

/** A stream on a transport that records, and a processor that does as told. */
function openStream(handlers: Partial<ProcessorStream> = {}, limits: { budget?: BodyBudget } = {}) {
  const seen: string[] = [];
  const errors: unknown[] = [];
  const counters = newCounters();
  const note =
    (name: keyof ProcessorStream) =>
    (...args: unknown[]): Answer | Promise<Answer> => {
      seen.push(name);
      const handler = handlers[name] as ((...args: unknown[]) => Answer | Promise<Answer>) | undefined;
      return handler === undefined ? CONTINUE : handler(...args);
    };
  const stream = new ProcessStream(
    {
      processor: {
        open: () => ({
          requestHeaders: note('requestHeaders'),
          requestBody: note('requestBody'),
          responseHeaders: note('responseHeaders'),
          responseBody: note('responseBody'),
          closed: note('closed'),
        }),
        overloaded: () => REFUSAL,
      },
      counters,
      maxMessageBytes: 1_000_000,
      budget: limits.budget,
      onHandlerError: (error) => errors.push(error),
    },
    {
      write: (pieces) => seen.push(Buffer.concat([...pieces]).toString('hex')),
      finish: (status) => seen.push(`finish ${status}`),
      pause: () => seen.push('pause'),
      resume: () => seen.push('resume'),
    },
  );
  return { stream, seen, counters, errors };
}

/** A promise settled by hand, and a turn of the microtask queue after it. */
function later() {
  let settle!: (answer: Answer) => void;
  const promise = new Promise<Answer>((resolve) => {
    settle = resolve;
  });
  return {
    promise,
    settle: async (answer: Answer) => {
      settle(answer);
      await new Promise(setImmediate);
    },
  };
}

const largeBody = frame(requestBodyMessage(Buffer.alloc(100_000)));

describe('ProcessStream', () => {
  test('delivers messages in the order of the wire and writes each answer', () => {
    const { stream, seen, counters } = openStream();

    stream.data(Buffer.concat([goldenFrame('requestHeaders'), goldenFrame('requestBody')]));

    expect(seen).toEqual(['requestHeaders', CONTINUE_HEADERS, 'requestBody', CONTINUE_BODY]);
    expect(counters.messages).toMatchObject({ requestHeaders: 1, requestBody: 1 });
  });

  test('delivers the next message only after the answer to the one before', async () => {
    const answer = later();
    const { stream, seen } = openStream({ requestHeaders: () => answer.promise });

    stream.data(Buffer.concat([goldenFrame('requestHeaders'), goldenFrame('requestBody')]));
    expect(seen).toEqual(['requestHeaders']);
    await answer.settle(CONTINUE);

    expect(seen).toEqual(['requestHeaders', CONTINUE_HEADERS, 'requestBody', CONTINUE_BODY]);
  });

  test('holds the peer back while bytes pile up behind an answer', async () => {
    const answer = later();
    const { stream, seen } = openStream({ requestHeaders: () => answer.promise });

    stream.data(goldenFrame('requestHeaders'));
    for (let count = 0; count < 4; count++) stream.data(Buffer.alloc(100_000));
    expect(seen).toEqual(['requestHeaders', 'pause']);
    await answer.settle(CONTINUE);

    expect(seen).toContain('resume');
  });

  test('takes a stream that begins with response headers', () => {
    const { stream, seen } = openStream();

    stream.data(goldenFrame('responseHeaders'));

    expect(seen[0]).toBe('responseHeaders');
  });

  test('answers trailers and unknown messages without the processor', () => {
    const { stream, seen } = openStream();

    stream.data(
      Buffer.concat([goldenFrame('requestTrailers'), goldenFrame('responseTrailers'), frame(Buffer.alloc(0))]),
    );

    expect(seen).toEqual(['00000000022a00', '00000000023200', '0000000000']);
  });

  test('ends with OK and closes once when the peer ends', () => {
    const { stream, seen, counters } = openStream();
    expect(counters.openStreams).toBe(1);

    stream.end();
    stream.lost();

    expect(seen).toEqual(['closed', 'finish 0']);
    expect(counters.openStreams).toBe(0);
  });

  test('closes at once when the peer ends while it should wait, and still writes the answer', async () => {
    const answer = later();
    const { stream, seen } = openStream({ requestHeaders: () => answer.promise });

    stream.data(goldenFrame('requestHeaders'));
    stream.end();
    expect(seen).toEqual(['requestHeaders', 'closed']);
    await answer.settle(CONTINUE);

    expect(seen).toEqual(['requestHeaders', 'closed', CONTINUE_HEADERS, 'finish 0']);
  });

  test('closes once when the connection is lost while it waits, and writes nothing more', async () => {
    const answer = later();
    const { stream, seen } = openStream({ requestHeaders: () => answer.promise });

    stream.data(goldenFrame('requestHeaders'));
    stream.lost();
    stream.lost();
    await answer.settle(CONTINUE);

    expect(seen).toEqual(['requestHeaders', 'closed']);
  });

  test('delivers nothing after an immediate answer', () => {
    const { stream, seen } = openStream({ requestHeaders: () => REFUSAL });

    stream.data(goldenFrame('requestHeaders'));
    stream.data(goldenFrame('requestBody'));
    stream.end();

    expect(seen).toEqual([
      'requestHeaders',
      expect.stringContaining(Buffer.from('full').toString('hex')),
      'closed',
      'finish 0',
    ]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('bug'))],
  ])('ends with INTERNAL, tells of it and closes when the processor %s', async (_how, requestHeaders) => {
    const { stream, seen, counters, errors } = openStream({ requestHeaders });

    stream.data(goldenFrame('requestHeaders'));
    await new Promise(setImmediate);
    stream.data(goldenFrame('requestBody'));

    expect(seen).toEqual(['requestHeaders', 'closed', `finish ${GRPC_STATUS.INTERNAL}`]);
    expect(errors).toEqual([new Error('bug')]);
    expect(counters.handlerErrors).toBe(1);
  });

  test('survives a processor that throws in closed', () => {
    const { stream, seen, errors } = openStream({
      closed: () => {
        throw new Error('bug');
      },
    });

    stream.end();

    expect(seen).toEqual(['closed', 'finish 0']);
    expect(errors).toHaveLength(1);
  });

  test.each([
    ['a compressed message', Buffer.from([1, 0, 0, 0, 0])],
    ['a message that is no protobuf', frame(Buffer.from([0xff]))],
  ])('ends %s with INVALID_ARGUMENT', (_what, bytes) => {
    const { stream, seen, counters } = openStream();

    stream.data(bytes);

    expect(seen).toEqual(['closed', `finish ${GRPC_STATUS.INVALID_ARGUMENT}`]);
    expect(counters.malformed).toBe(1);
  });

  test('ends a cut message with INVALID_ARGUMENT, wherever it is cut', () => {
    const bytes = goldenFrame('requestBody');
    for (let length = 1; length < bytes.length; length++) {
      const { stream, seen } = openStream();
      stream.data(bytes.subarray(0, length));
      stream.end();
      expect(seen).toEqual(['closed', `finish ${GRPC_STATUS.INVALID_ARGUMENT}`]);
    }
  });

  test('ends a message above the limit with RESOURCE_EXHAUSTED before its bytes come', () => {
    const { stream, seen, counters } = openStream();

    stream.data(frame(Buffer.alloc(1_000_001)).subarray(0, 5));

    expect(seen).toEqual(['closed', `finish ${GRPC_STATUS.RESOURCE_EXHAUSTED}`]);
    expect(counters.tooLarge).toBe(1);
  });
});

describe('the budget', () => {
  test('holds a large message until its answer is written', async () => {
    const budget = new BodyBudget(200_000);
    const answer = later();
    const { stream } = openStream({ requestBody: () => answer.promise }, { budget });

    stream.data(largeBody.subarray(0, 5));
    expect(budget.usedBytes).toBe(largeBody.length - 5);
    stream.data(largeBody.subarray(5));
    expect(budget.usedBytes).toBe(largeBody.length - 5);
    await answer.settle(CONTINUE);

    expect(budget.usedBytes).toBe(0);
  });

  test('without room has the request refused and its stream ended at once, before the rest of it comes', () => {
    const { stream, seen, counters } = openStream({}, { budget: new BodyBudget(50_000) });

    stream.data(largeBody.subarray(0, 5));
    stream.data(largeBody.subarray(5));

    const refusal = expect.stringContaining(Buffer.from('full').toString('hex'));
    expect(seen).toEqual([refusal, 'closed', `finish ${GRPC_STATUS.OK}`]);
    expect(counters.budgetRefusals).toBe(1);
  });

  test('is given back when the stream is lost', () => {
    const budget = new BodyBudget(200_000);
    const { stream } = openStream({}, { budget });

    stream.data(largeBody.subarray(0, 60_000));
    stream.lost();

    expect(budget.usedBytes).toBe(0);
  });

  test('is not asked for small messages nor in a response, which a refusal would destroy', () => {
    const { stream, seen } = openStream({}, { budget: new BodyBudget(0) });

    stream.data(goldenFrame('requestBody'));
    stream.data(goldenFrame('responseHeaders'));
    const chunk = requestBodyMessage(Buffer.alloc(100_000));
    chunk[0] = 0x2a;
    stream.data(frame(chunk));

    expect(seen.filter((entry) => /^re[qs]/.test(entry))).toEqual(['requestBody', 'responseHeaders', 'responseBody']);
  });

  test('answers held messages together, and keeps their bytes in the budget until then', () => {
    const budget = new BodyBudget(100_000);
    const body = { length: 3, chunks: [Buffer.from('abc')] };
    const used: number[] = [];
    const { stream, seen } = openStream(
      {
        requestHeaders: () => HELD,
        requestBody: (_, endOfStream) => {
          used.push(budget.usedBytes);
          return endOfStream ? { kind: 'streamed', headers: CONTINUE, body } : HELD;
        },
      },
      { budget },
    );
    const chunk = frame(Buffer.from('22050a03616263', 'hex'));
    const last = frame(Buffer.from('22070a036162631001', 'hex'));

    stream.data(Buffer.concat([goldenFrame('requestHeaders'), chunk, chunk, last]));

    // Of 7, 7 and 9 bytes; small messages count too once others are held.
    expect(used).toEqual([7, 14, 23]);
    expect(budget.usedBytes).toBe(0);
    const piece = frame(Buffer.from('1a0d0a0b1a091a0710010a03616263', 'hex')).toString('hex');
    expect(seen.slice(-1)).toEqual([CONTINUE_HEADERS + piece]);
  });

  test('refuses what is held once the budget has no room, and gives all of it back', () => {
    const budget = new BodyBudget(150_000);
    const { stream, seen, counters } = openStream({ requestHeaders: () => HELD, requestBody: () => HELD }, { budget });

    stream.data(Buffer.concat([goldenFrame('requestHeaders'), largeBody, largeBody]));

    expect(counters.budgetRefusals).toBe(1);
    expect(budget.usedBytes).toBe(0);
    expect(seen.slice(-2)).toEqual(['closed', 'finish 0']);
  });

  test('gives what is held back to the budget when the stream is lost', () => {
    const budget = new BodyBudget(150_000);
    const { stream } = openStream({ requestHeaders: () => HELD, requestBody: () => HELD }, { budget });
    stream.data(Buffer.concat([goldenFrame('requestHeaders'), largeBody]));
    expect(budget.usedBytes).toBeGreaterThan(100_000);

    stream.lost();

    expect(budget.usedBytes).toBe(0);
  });
});
