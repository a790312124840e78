import { POOL_GROUP } from '../../api/pool-ref';

interface PoolRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Why a poolRef leads to no scheduler of this gateway, as a clause; undefined where it leads to one. It is no fault:
 * the pool may be somebody else's.
 */
export function foreignPool(ref: PoolRef, schedulers: readonly { readonly name: string }[]): string | undefined {
  if (ref.kind !== 'InferencePool') return `its poolRef names a ${ref.kind}, and no InferencePool`;
  if (ref.group !== POOL_GROUP) return `its poolRef names a pool of the group ${JSON.stringify(ref.group)}`;
  const names = schedulers.map(({ name }) => name);
  if (names.includes(ref.name)) return undefined;
  return `its poolRef names ${JSON.stringify(ref.name)}, which is no scheduler of this gateway (${names.join(', ')})`;
}
