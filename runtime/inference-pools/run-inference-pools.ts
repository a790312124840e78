import type { Logger } from 'pino';
import { CONTROLLER, PORTS } from '../../lib/translate/cluster/names';
import type { Installation } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { createEndpointSource } from './discovery/endpoint-source';
import type { PoolMetrics } from './metrics';
import { extensionHooks } from './server/extension-hooks';
import { followPoolCertificates } from './server/pool-certificates';
import { startPoolServer } from './server/pool-server';
import { readBackends } from './server/route-reader';

export interface InferencePoolsOptions {
  readonly client: ApiClient;
  readonly installation: Installation;
  /** Where Envoy Gateway and Envoys connect. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: PoolMetrics;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Makes InferencePools backends of the HTTPRoutes of every Gateway of Envoy Gateway, once the certificates are there. Every
 * replica of the controller does so, whoever leads. Resolves when it has ended; rejects where it cannot listen.
 */
export async function runInferencePools(options: InferencePoolsOptions): Promise<void> {
  const { installation, listen, log, metrics, signal } = options;
  const { systemNamespace, clusterDomain } = installation;
  const certificates = followPoolCertificates({ ...options, namespace: systemNamespace });
  const address = `dns:///${CONTROLLER}.${systemNamespace}.svc.${clusterDomain}:${PORTS.inferencePools}`;
  try {
    await certificates.ready;
  } catch {
    return;
  }
  const server = await startPoolServer(listen, {
    hooks: extensionHooks({
      discovery: () => ({ address, tls: certificates.forEnvoys() }),
      readBackends: (routes, until) => readBackends(options, routes, until),
    }),
    source: createEndpointSource(options),
    certificates: certificates.provider,
    log,
    metrics,
  });
  log.info('InferencePools are backends: Envoy Gateway and Envoys can connect');
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await server.close();
}
