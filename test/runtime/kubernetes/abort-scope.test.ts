import { abortScope, untilAborted } from '../../../runtime/kubernetes/abort-scope';

test('a scope follows the other signal until it is released', () => {
  const outer = new AbortController();
  const [first, second] = [abortScope(outer.signal), abortScope(outer.signal)];
  second.release();
  outer.abort('over');

  expect(first.signal.reason).toBe('over');
  expect(second.signal.aborted).toBe(false);
  expect(abortScope(outer.signal).signal.reason).toBe('over');
});

test('a scope ends without the other', () => {
  const outer = new AbortController();
  const scope = abortScope(outer.signal);
  scope.abort('enough');

  expect(scope.signal.reason).toBe('enough');
  expect(outer.signal.aborted).toBe(false);
});

test('what comes first counts: the promise or the abort', async () => {
  const never = new Promise<never>(() => {});
  const stop = new AbortController();
  expect(await untilAborted(Promise.resolve(1), stop.signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error('no')), stop.signal)).rejects.toThrow('no');
  const waiting = untilAborted(never, stop.signal);
  stop.abort(new Error('enough'));

  await expect(waiting).rejects.toThrow('enough');
  await expect(untilAborted(never, stop.signal)).rejects.toThrow('enough');
});
