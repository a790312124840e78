import type { PodChoice } from '../fleet/policy';

/** A balancer's own count of the requests that each pod has from it. */
export interface InFlight {
  of(pod: number): number;
  /** Counts a request at the first pod of the list, until it ends. */
  send(pods: readonly number[]): PodChoice;
}

export function createInFlight(pods: number): InFlight {
  const counts = new Int32Array(pods);
  return {
    of: (pod) => counts[pod]!,
    send(choice) {
      let pod = choice[0]!;
      counts[pod]! += 1;
      return {
        pods: choice,
        ticket: {
          served(other) {
            counts[pod]! -= 1;
            counts[other]! += 1;
            pod = other;
          },
          ended() {
            counts[pod]! -= 1;
          },
        },
      };
    },
  };
}
