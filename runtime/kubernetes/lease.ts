import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { microTime } from './micro-time';

/** `coordination.k8s.io/v1 Lease`, as far as it is used. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
}

export function specOf(lease: KubernetesObject | undefined): LeaseSpec {
  return (lease?.spec ?? {}) as LeaseSpec;
}

/** `lease` (undefined: there is none yet) as `identity` holds it from now on. */
export function heldLease(
  lease: KubernetesObject | undefined,
  place: LeasePlace,
  identity: string,
  leaseMs: number,
  wall: number,
): KubernetesObject {
  const old = specOf(lease);
  const isRenewal = old.holderIdentity === identity;
  const now = microTime(wall);
  const spec: LeaseSpec = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: isRenewal ? (old.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: (old.leaseTransitions ?? 0) + (isRenewal || lease === undefined ? 0 : 1),
  };
  return withSpec(lease ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: place }, spec);
}

/** Held by nobody, and free at once. */
export function releasedLease(lease: KubernetesObject, wall: number): KubernetesObject {
  const { leaseTransitions = 0 } = specOf(lease);
  const now = microTime(wall);
  return withSpec(lease, {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions,
  });
}

function withSpec(lease: KubernetesObject, spec: LeaseSpec): KubernetesObject {
  return { ...lease, spec: { ...(lease.spec as object | undefined), ...spec } };
}
