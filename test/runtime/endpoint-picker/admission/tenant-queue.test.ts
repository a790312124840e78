import {
  append,
  createTenantQueue,
  newestOf,
  type Waiter,
} from '../../../../runtime/endpoint-picker/admission/tenant-queue';

const queue = createTenantQueue<string>(false);
for (const [item, bytes] of [
  ['oldest', 30],
  ['middle', 20],
  ['newest', 10],
] as const) {
  append({ item, bytes, queue } as Waiter<string>);
}

test.each([
  [1, 0, ['newest']],
  [1, 11, ['newest', 'middle']],
  [2, 0, ['newest', 'middle']],
  [0, 60, ['newest', 'middle', 'oldest']],
  [0, 0, []],
])('the newest that are %i requests and %i bytes', (requests, bytes, items) => {
  expect(newestOf(queue, requests, bytes).map(({ item }) => item)).toEqual(items);
});
