import { createLoad, enter } from '../../../../runtime/endpoint-picker/ledger/endpoint-load';
import { BATCH_TOKENS, doneAt } from '../../../../runtime/endpoint-picker/ledger/prefill-backlog';
import { correctBacklog } from '../../../../runtime/endpoint-picker/ledger/waiting-line';

/** Seconds: a thousand tokens a second. */
const TOKEN_SECONDS = 0.001;

/** Requests of so many tokens each, sent at `sentAt`. */
function loadWith(tokens: readonly number[], sentAt = 0) {
  const load = createLoad();
  for (const each of tokens) add(load, each, sentAt);
  return load;
}

function add(load: ReturnType<typeof createLoad>, tokens: number, sentAt: number) {
  enter(load, { promptTokens: 0, uncachedTokens: tokens, outputTokens: 10, adapter: undefined }, TOKEN_SECONDS, sentAt);
}

describe('a scrape that tells how many have no first token', () => {
  test('none pending: all that was sent until it left is done, what came since is not', () => {
    const load = loadWith([5000, 5000]);
    const mark = { at: 1000, line: load.backlog.sent };
    add(load, 3000, 1100);
    expect(correctBacklog(load, 0, mark, TOKEN_SECONDS, 1200)).toBe(0);
    expect(doneAt(load.backlog, TOKEN_SECONDS)).toBe(1200 + 3000);
  });

  test('those that were sent after it left are not among them', () => {
    const load = loadWith([5000, 5000]);
    const mark = { at: 1000, line: load.backlog.sent };
    add(load, 3000, 1100);
    expect(correctBacklog(load, 1, mark, TOKEN_SECONDS, 1200)).toBe(5000);
  });

  test('the last so many in line are pending: what is before them is done', () => {
    const load = loadWith([20_000, 20_000, 20_000]);
    const mark = { at: 1000, line: load.backlog.sent };
    expect(correctBacklog(load, 1, mark, TOKEN_SECONDS, 1000)).toBe(20_000);
    expect(doneAt(load.backlog, TOKEN_SECONDS)).toBe(21_000);
  });

  test('the first of the pending may be nearly computed, as the page tells nothing of the step under way', () => {
    const load = loadWith([1000, 20_000]);
    const mark = { at: 21_000, line: load.backlog.sent };
    expect(correctBacklog(load, 1, mark, TOKEN_SECONDS, 21_000)).toBe(20_000);
    expect(doneAt(load.backlog, TOKEN_SECONDS)).toBe(21_000);
  });

  test('an engine that is behind has the pending still ahead, but for half a batch', () => {
    const load = loadWith(Array.from({ length: 100 }, () => 1000));
    const mark = { at: 100_000, line: load.backlog.sent };
    correctBacklog(load, 100, mark, TOKEN_SECONDS, 100_000);
    expect(doneAt(load.backlog, TOKEN_SECONDS) - 100_000).toBe(100_000 - BATCH_TOKENS / 2);
  });

  test('the engine has gone on since the scrape left', () => {
    const load = loadWith(Array.from({ length: 100 }, () => 1000));
    const mark = { at: 100_000, line: load.backlog.sent };
    correctBacklog(load, 100, mark, TOKEN_SECONDS, 103_000);
    expect(doneAt(load.backlog, TOKEN_SECONDS) - 103_000).toBe(100_000 - BATCH_TOKENS / 2 - 3000);
  });
});
