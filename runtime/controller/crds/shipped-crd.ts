import type { CustomResourceDefinition } from './custom-resource-definition';

/** Where a CustomResourceDefinition comes from; those of one bundle are of one release, but for kinds that it no longer has. */
export type CrdBundle = 'inference-gateway' | 'gateway-api' | 'envoy-gateway' | 'inference-extension';

/** A CustomResourceDefinition that comes with the gateway. */
export interface ShippedCrd {
  readonly bundle: CrdBundle;
  /** Of the bundle, or the last that had it: `v1.6.1`. */
  readonly release: string;
  readonly definition: CustomResourceDefinition;
  /** Absent: the gateway itself uses no objects of this kind. */
  readonly use?: CrdUse;
}

/** What the gateway needs of a kind, whoever installed it. */
export interface CrdUse {
  readonly version: string;
  /** Paths as `schemaFields` writes them. */
  readonly fields: readonly string[];
}
