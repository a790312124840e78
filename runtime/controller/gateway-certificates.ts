import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import type { IssuedCertificate } from '../../lib/translate/cluster/status/observed';
import type { Problem } from '../../lib/translate/cluster/types';

/** The certificates of a gateway: made, renewed, and read for what follows from them. */
export interface GatewayCertificates {
  /** Of what clients see; nothing is written. */
  read(config: InferenceGatewayConfig, signal: AbortSignal): Promise<ClientCertificate>;
  /** Makes and renews what the controller makes itself. Rejects with an ApiError where it cannot. */
  ensure(config: InferenceGatewayConfig, signal: AbortSignal): Promise<EnsuredCertificates>;
  /** Deletes an imported certificate, also where it is gone already. Rejects while it cannot, with a message that says why. */
  deleteImported(arn: string, signal: AbortSignal): Promise<void>;
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
}
