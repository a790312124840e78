/** Which of the pods has the next event: a tournament over their times, so that one pod's change costs log2 of them. */
export interface NextPod {
  /** The pod's next event is at `time`; Infinity: it has none. */
  set(pod: number, time: number): void;
  /** The pod whose event comes first, the lowest number among equals. */
  readonly pod: number;
  readonly time: number;
}

export function createNextPod(pods: number): NextPod {
  const leaves = 2 ** Math.ceil(Math.log2(Math.max(1, pods)));
  const times = new Float64Array(leaves).fill(Number.POSITIVE_INFINITY);
  // winners[i] is the winning leaf below node i; the root is node 1, the leaves begin at node `leaves`.
  const winners = new Int32Array(2 * leaves);
  for (let leaf = 0; leaf < leaves; leaf++) winners[leaves + leaf] = leaf;
  for (let node = leaves - 1; node > 0; node--) winners[node] = winners[2 * node]!;

  return {
    set(pod, time) {
      times[pod] = time;
      for (let node = (leaves + pod) >> 1; node > 0; node >>= 1) {
        const left = winners[2 * node]!;
        const right = winners[2 * node + 1]!;
        winners[node] = times[right]! < times[left]! ? right : left;
      }
    },
    get pod() {
      return winners[1]!;
    },
    get time() {
      return times[winners[1]!]!;
    },
  };
}
