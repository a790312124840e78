import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { LeafUsage } from './issue';

/** Holders of certificates of one authority, who trust each other by it. */
export interface TrustDomain {
  /** The Secret that keeps the authority with its key: metadata and type. Only the controller reads it. */
  readonly authority: KubernetesObject;
  /** Beginning of the authority's name. */
  readonly commonName: string;
  readonly leaves: readonly WantedLeaf[];
  /** A Secret that has those whom the holders trust as `tls.crt`, for one who reads it there: metadata and type. Default: none. */
  readonly published?: KubernetesObject;
  /** Milliseconds. */
  readonly lifetimes: Lifetimes;
}

export interface Lifetimes {
  readonly authority: number;
  readonly leaf: number;
}

/** A certificate that a holder shows, with whom it trusts: `tls.crt`, `tls.key` and `ca.crt`. */
export interface WantedLeaf {
  /** The Secret: metadata and type. */
  readonly secret: KubernetesObject;
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly usages: readonly LeafUsage[];
}
