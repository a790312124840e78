import { type StatusObject, status } from '@grpc/grpc-js';
import { INFERENCE_POOL_SECRETS } from '../../../lib/translate/cluster/names';

/** Who may ask for what: those are the names in the certificates that the controller has made for them. */
export const HOOKS_PEER = INFERENCE_POOL_SECRETS.envoyGateway;
export const ENDPOINTS_PEER = INFERENCE_POOL_SECRETS.envoy;

/** Calls of grpc-js, on the server's side. */
interface AuthenticatedCall {
  getAuthContext(): { readonly sslPeerCertificate?: { readonly subject?: { readonly CN?: string | string[] } } };
}

/**
 * Undefined where the certificate of a connection has that name; else why it is not heard. What Envoys show is part of their
 * configuration, and whoever may change or read that is no more than an Envoy.
 */
export function refusal(call: AuthenticatedCall, peer: string): Pick<StatusObject, 'code' | 'details'> | undefined {
  if (call.getAuthContext().sslPeerCertificate?.subject?.CN === peer) return undefined;
  return { code: status.PERMISSION_DENIED, details: `the certificate is not of ${peer}` };
}
