/** Works on all items, on so many at the same time. Rejects with the first rejection, when nothing is under way any more. */
export async function inTurns<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
}
