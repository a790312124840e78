import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { GROUP } from '../../lib/translate/cluster/names';
import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import type { IssuedCertificate } from '../../lib/translate/cluster/status/observed';
import type { Problem } from '../../lib/translate/cluster/types';

/** Annotation of a config: `true` leaves its imported certificate where it is when the config is deleted. */
export const KEEP_CERTIFICATE = `${GROUP}/keep-imported-certificate`;

/** The certificates of a gateway: made, renewed, and read for what follows from them. */
export interface GatewayCertificates {
  /** Of what clients see; nothing is written. */
  read(config: InferenceGatewayConfig, signal: AbortSignal): Promise<ClientCertificate>;
  /** Makes and renews what the controller makes itself. Rejects with an ApiError where it cannot. */
  ensure(config: InferenceGatewayConfig, signal: AbortSignal): Promise<EnsuredCertificates>;
  /**
   * Gives the load balancer's store what has been issued, and takes it away where nothing is any more. May take many
   * seconds. Rejects with an ApiError where it cannot.
   */
  importIssued(config: InferenceGatewayConfig, signal: AbortSignal): Promise<EnsuredCertificates>;
  /**
   * Name of the certificate that the store says was imported for a config: it may not be recorded. Undefined where there is
   * none, or no store. Rejects where it cannot be asked.
   */
  findImported(config: OwningConfig, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Deletes an imported certificate, also where it is gone already; not one that only the status of `claimant` names, and
   * that was not imported for it. Rejects while it cannot, with a message that says why, and what to do.
   */
  deleteImported(arn: string, claimant: OwningConfig | undefined, signal: AbortSignal): Promise<void>;
}

export interface ClientCertificate {
  /** PEM of who issued it. */
  readonly authority?: string;
  /** `acmArn` is of one that was imported, never one that the config's author has named. */
  readonly issued?: IssuedCertificate;
}

export interface EnsuredCertificates {
  readonly problems: readonly Problem[];
  /** When the next is to be renewed. Milliseconds from now. */
  readonly dueIn?: number;
  /** An imported certificate that is there no more, or is not the gateway's, whatever `read` found. */
  readonly deletedArn?: string;
}
