import type { PendingPick, PickRequest, PickResult } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { precisePicker } from '../../../../runtime/endpoint-picker/kv-events/precise-picker';
import type { PromptTokens } from '../../../../runtime/endpoint-picker/kv-events/prompt-tokens';

const TOKENS: PromptTokens = { tokens: Uint32Array.of(1, 2), count: 2 };
const REFUSED: PickResult = { outcome: 'no-endpoints', retryAfterSeconds: 1 };

const REQUEST: PickRequest = {
  scheduler: 's',
  model: 'm',
  promptBytes: 256,
  prefixHashes: [1],
  explain: false,
  tokenizable: () => ({ kind: 'ask', body: '{}' }),
};

function setUp(tokens: PromptTokens | undefined | Promise<PromptTokens | undefined>, covered = true) {
  const picked: Array<PromptTokens | undefined> = [];
  const picker = precisePicker(
    {
      pick(request) {
        picked.push(request.tokens);
        return REFUSED;
      },
    },
    { covers: () => covered, tokens: () => tokens },
  );
  return { picker, picked };
}

test('tokens that are known are picked with at once', () => {
  const { picker, picked } = setUp(TOKENS);
  expect(picker.pick(REQUEST)).toBe(REFUSED);
  expect(picked).toEqual([TOKENS]);
});

test('tokens that come later are waited for', async () => {
  const { picker, picked } = setUp(Promise.resolve(TOKENS));
  expect(await (picker.pick(REQUEST) as PendingPick).result).toBe(REFUSED);
  expect(picked).toEqual([TOKENS]);
});

test('without tokens the pick goes on as ever', async () => {
  const { picker, picked } = setUp(Promise.resolve(undefined));
  expect(await (picker.pick(REQUEST) as PendingPick).result).toBe(REFUSED);
  expect(picked).toEqual([undefined]);
});

test.each<[string, Partial<PickRequest>, boolean]>([
  ['a prompt without a whole block', { prefixHashes: [] }, true],
  ['a scheduler without KV events', {}, false],
  ['a prompt that cannot be tokenised', { tokenizable: () => undefined }, true],
])('%s is not asked for', (_what, fields, covered) => {
  const { picker, picked } = setUp(TOKENS, covered);
  expect(picker.pick({ ...REQUEST, ...fields })).toBe(REFUSED);
  expect(picked).toEqual([undefined]);
});

test('of a request that is cancelled while its tokens are awaited nothing is picked', async () => {
  const { picker, picked } = setUp(Promise.resolve(TOKENS));
  const pending = picker.pick(REQUEST) as PendingPick;
  pending.cancel();
  expect(await pending.result).toMatchObject({ outcome: 'cancelled' });
  expect(picked).toEqual([]);
});
