import { type Selection, selectDecisions } from '../../../runtime/explain/select-decisions';
import { decisionsOf, pickLine } from './recording-text';

const DECISIONS = decisionsOf(
  pickLine(1),
  pickLine(2, { scheduler: 'ns/b' }),
  pickLine(3),
  { end: 1, at: 1, firstToken: 0.1 },
  { end: 2, at: 1, firstToken: 0.9 },
  { end: 3, at: 1, firstToken: 0.5 },
  pickLine(4),
);

const numbers = (selection: Selection) => selectDecisions(DECISIONS, selection).map(({ pick }) => pick.pick);

test.each<[Selection, number[]]>([
  [{}, [1, 2, 3, 4]],
  [{ scheduler: 'ns/b' }, [2]],
  [{ pick: 3 }, [3]],
  [{ slowest: 2 }, [2, 3]],
  [{ slowest: 9, scheduler: 'ns/a' }, [3, 1]],
])('%j selects the decisions %j', (selection, expected) => {
  expect(numbers(selection)).toEqual(expected);
});

test.each<[Selection, string]>([
  [{ scheduler: 'ns/c' }, '--scheduler: the recording has no decision of it; it has ns/a, ns/b'],
  [{ pick: 9 }, '--pick: the recording has no decision 9'],
  [{ pick: 4, slowest: 1 }, '--slowest: no first token was watched for in these decisions'],
])('%j is refused', (selection, message) => {
  expect(() => numbers(selection)).toThrow(message);
});
