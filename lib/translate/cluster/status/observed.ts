import type { KubernetesObject } from '../kubernetes-object';

/** What of a gateway is in the cluster, as read. */
export interface Observed {
  /** The Gateway. */
  readonly gateway?: KubernetesObject | undefined;
  /** Its routes and policies, with what Envoy Gateway says of them. */
  readonly attached: readonly KubernetesObject[];
  /** Deployments of its Envoys. */
  readonly envoys: readonly KubernetesObject[];
  /** Service of its Envoys, and the Ingress in front where there is one. */
  readonly entrances: readonly KubernetesObject[];
  /** Deployment of its routers. */
  readonly router?: KubernetesObject | undefined;
  /** Deployments of its pickers, of any spec. */
  readonly pickers: readonly KubernetesObject[];
  /** All pods of its namespace. */
  readonly pods: readonly KubernetesObject[];
  /** The Certificate that cert-manager is asked for, and what it says of it. */
  readonly requested?: KubernetesObject | undefined;
  /** The certificate that was issued and imported. */
  readonly certificate?: IssuedCertificate | undefined;
}

export interface IssuedCertificate {
  readonly acmArn?: string;
  /** RFC 3339. */
  readonly issuedAt?: string;
  readonly dnsNames?: readonly string[];
}
