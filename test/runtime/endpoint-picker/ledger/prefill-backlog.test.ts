import fc from 'fast-check';
import {
  append,
  BATCH_TOKENS,
  between,
  createPrefillBacklog,
  doneAt,
  ended,
  firstTokenSeen,
} from '../../../../runtime/endpoint-picker/ledger/prefill-backlog';

/** Seconds: a thousand tokens a second. */
const TOKEN_SECONDS = 0.001;

/** A line to which some tokens were appended at 0 ms. */
function lineOf(...tokens: number[]) {
  const backlog = createPrefillBacklog();
  const places = tokens.map((each) => append(backlog, each, TOKEN_SECONDS, 0));
  return { backlog, places };
}

describe('the line of prompts', () => {
  test('is worked along at the learned speed, one prompt after the other', () => {
    const { backlog, places } = lineOf(1000, 500);
    expect(places).toEqual([1000, 1500]);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(1500);
    append(backlog, 100, TOKEN_SECONDS, 600);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(1600);
  });

  test('what is done stays done: time without work is not saved up', () => {
    const { backlog } = lineOf(1000);
    append(backlog, 1000, TOKEN_SECONDS, 50_000);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(51_000);
  });

  test('a first token that comes early shows that all before it is done', () => {
    const { backlog, places } = lineOf(10_000, 10_000);
    firstTokenSeen(backlog, places[0]!, TOKEN_SECONDS, 1000);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(11_000);
  });

  test('a first token that comes late shows that not more than a batch behind it is done', () => {
    const { backlog, places } = lineOf(1000, 40_000);
    firstTokenSeen(backlog, places[0]!, TOKEN_SECONDS, 30_000);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(30_000 + 40_000 - BATCH_TOKENS);
  });

  test('an end shows that what is before it is done, and nothing of what is behind', () => {
    const early = lineOf(10_000, 10_000);
    ended(early.backlog, early.places[0]!, TOKEN_SECONDS, 1000);
    expect(doneAt(early.backlog, TOKEN_SECONDS)).toBe(11_000);
    const late = lineOf(1000, 40_000);
    ended(late.backlog, late.places[0]!, TOKEN_SECONDS, 30_000);
    expect(doneAt(late.backlog, TOKEN_SECONDS)).toBe(41_000);
  });

  test('without a speed nothing waits', () => {
    const { backlog } = lineOf(1000);
    append(backlog, 0, 0, 10);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(10);
  });

  test('a clock that goes back does nothing', () => {
    const { backlog } = lineOf(1000);
    append(backlog, 0, TOKEN_SECONDS, 500);
    append(backlog, 0, TOKEN_SECONDS, 100);
    expect(doneAt(backlog, TOKEN_SECONDS)).toBe(1000);
  });

  test('what is done only grows by time, and is never beyond the end of the line', () => {
    const event = fc.record({
      kind: fc.constantFrom('append' as const, 'between' as const),
      tokens: fc.nat(20_000),
      more: fc.nat(20_000),
      ms: fc.nat(5000),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const backlog = createPrefillBacklog();
        let now = 0;
        for (const { kind, tokens, more, ms } of events) {
          now += ms;
          if (kind === 'append') append(backlog, tokens, TOKEN_SECONDS, now);
          else between(backlog, tokens, tokens + more, TOKEN_SECONDS, now);
          expect(backlog.done >= 0 && backlog.done <= backlog.sent).toBe(true);
          expect(doneAt(backlog, TOKEN_SECONDS)).toBeGreaterThanOrEqual(now);
        }
      }),
    );
  });
});
