import type { FleetView } from '../fleet/policy';

/** The numbers of the ready pods, kept up to date. */
export function readyPods(view: FleetView): { readonly current: readonly number[] } {
  const find = () => view.pods.filter(({ ready }) => ready).map(({ number }) => number);
  const ready = { current: find() };
  view.onReadiness(() => {
    ready.current = find();
  });
  return ready;
}

/** How often a proxy tries another pod when one refuses the connection. */
const RETRIES = 2;

/** `first` of the list, then those after it, as a proxy's retries would go. */
export function withNext(pods: readonly number[], first: number): number[] {
  return Array.from({ length: Math.min(1 + RETRIES, pods.length) }, (_, i) => pods[(first + i) % pods.length]!);
}
