import { createBlockJournal } from '../../../../../runtime/simulator/model-server/kv-events/block-journal';
import { promptOfText, promptOfTokens } from '../../../../../runtime/simulator/model-server/prompt';

const tokens = Array.from({ length: 40 }, (_, i) => i + 1);

test('blocks stored one after the other are one event with their tokens', () => {
  const journal = createBlockJournal();
  const prompt = promptOfTokens(tokens);
  journal.know(prompt, undefined);
  for (const id of prompt.blocks) journal.stored('', id);
  expect(journal.take()).toEqual([
    {
      type: 'BlockStored',
      block_hashes: [...prompt.blocks],
      parent_block_hash: null,
      token_ids: tokens.slice(0, 32),
      block_size: 16,
      lora_id: null,
      medium: 'GPU',
      lora_name: null,
    },
  ]);
  expect(journal.take()).toEqual([]);
});

test('a block stored later names its parent, one removed its hash', () => {
  const journal = createBlockJournal();
  const prompt = promptOfText('x'.repeat(128));
  journal.know(prompt, 'sql');
  journal.stored('sql', prompt.blocks[0]!);
  const [first] = journal.take();
  journal.stored('sql', prompt.blocks[1]!);
  journal.removed('sql', prompt.blocks[0]!);
  const [second, third] = journal.take();
  expect(second).toMatchObject({ parent_block_hash: first!.block_hashes[0], lora_name: 'sql' });
  expect(third).toEqual({ type: 'BlockRemoved', block_hashes: first!.block_hashes, medium: 'GPU' });
});

test('the same tokens have other hashes under another adapter', () => {
  const journal = createBlockJournal();
  const prompt = promptOfTokens(tokens);
  journal.know(prompt, 'a');
  journal.know(prompt, 'b');
  journal.stored('a', prompt.blocks[0]!);
  journal.stored('b', prompt.blocks[0]!);
  const [a, b] = journal.take();
  expect(a!.block_hashes).not.toEqual(b!.block_hashes);
});

test('a prompt is known until its last request is over', () => {
  const journal = createBlockJournal();
  const prompt = promptOfTokens(tokens);
  const first = journal.know(prompt, undefined);
  const second = journal.know(prompt, undefined);
  first();
  first();
  journal.stored('', prompt.blocks[0]!);
  expect(journal.take()).toHaveLength(1);
  second();
  journal.stored('', prompt.blocks[0]!);
  expect(journal.take()).toEqual([]);
});
