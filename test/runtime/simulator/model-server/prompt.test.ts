import fc from 'fast-check';
import { promptOfText, promptOfTokens } from '../../../../runtime/simulator/model-server/prompt';

const common = (left: Float64Array, right: Float64Array) => {
  const end = left.findIndex((id, index) => id !== right[index]);
  return end < 0 ? left.length : end;
};

test('texts share exactly the block ids of their common whole blocks', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300 }),
      fc.string({ maxLength: 300 }),
      fc.string({ maxLength: 300 }),
      (start, a, b) => {
        const [left, right] = [Buffer.from(`${start}${a}`), Buffer.from(`${start}${b}`)];
        let same = 0;
        while (same < left.length && same < right.length && left[same] === right[same]) same++;
        const shared = common(promptOfText(`${start}${a}`).blocks, promptOfText(`${start}${b}`).blocks);
        expect(shared).toBe(Math.min(Math.floor(same / 64), Math.floor(left.length / 64)));
      },
    ),
    { numRuns: 200 },
  );
});

test('ids are safe integers and a token is four bytes', () => {
  const prompt = promptOfText('é'.repeat(1000));
  expect(prompt.tokens).toBe(500);
  expect(prompt.blocks).toHaveLength(31);
  expect(prompt.blocks.every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
  expect(new Set(prompt.blocks).size).toBe(31);
});

test('token ids count as they are', () => {
  expect(promptOfTokens([1, 2, 3])).toMatchObject({ tokens: 3 });
});
