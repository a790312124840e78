import type { Bench } from './bench';

/** Writes of the cluster's objects; the lease is renewed all the time. */
export const clusterWrites = (bench: Bench) => bench.api.writes.filter((write) => !write.includes(' Lease '));

export const namesOf = (
  objects: ReadonlyArray<{ readonly kind: string; readonly metadata: { readonly name: string } }>,
) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
