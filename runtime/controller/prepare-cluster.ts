import type { Logger } from 'pino';
import { MANAGER } from '../../lib/translate/cluster/names';
import type { Problem } from '../../lib/translate/cluster/types';
import type { Clock } from '../kubernetes/clock';
import { reconcileEnvoyGatewayCertificates } from './certificates/envoy-gateway-certificates';
import type { EnvoyGatewayPlace } from './certificates/envoy-gateway-trust';
import { inferencePoolTrust } from './certificates/inference-pool-trust';
import { GRACE_MS, waitUntil } from './certificates/lifetimes';
import { reconcileTrust } from './certificates/reconcile-trust';
import { serialNumber } from './certificates/serial-number';
import type { ClusterSetupOptions, Preparation } from './cluster-setup';
import { type CrdResult, installCrds } from './crds/install-crds';
import type { CrdBundle, ShippedCrd } from './crds/shipped-crd';

export interface PrepareClusterOptions {
  /** They come with this build: read once. */
  readonly readCrds: () => Promise<readonly ShippedCrd[]>;
  /** Bundles that the controller keeps up to date; it only looks at the others. */
  readonly managedCrds: ReadonlySet<CrdBundle>;
  /** Where Envoy Gateway runs, if it came with the gateway: then the controller makes its certificates. */
  readonly envoyGateway: EnvoyGatewayPlace | undefined;
  /** Where the controller itself runs. */
  readonly own: EnvoyGatewayPlace;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The API server may take so long to serve a definition. Milliseconds. */
const ESTABLISH_MS = 30_000;

/** After a refusal: a person must act. Milliseconds. */
const AFTER_FAULT_MS = 30_000;

/** What must be in a cluster before there can be a gateway: definitions of all kinds, and Envoy Gateway's certificates. */
export function prepareCluster(options: PrepareClusterOptions): ClusterSetupOptions['prepare'] {
  const { readCrds, managedCrds, envoyGateway, own, clock, log } = options;
  const told = new Map<string, string>();
  let read: Promise<readonly ShippedCrd[]> | undefined;

  return async (client, signal): Promise<Preparation> => {
    read ??= readCrds().catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    const results = await installCrds(client, await read, {
      fieldManager: MANAGER,
      managed: managedCrds,
      timeoutMs: ESTABLISH_MS,
      clock,
      signal,
    });
    for (const result of results) tell(result);
    const problems = results.flatMap(crdProblem);
    const now = clock.wall();
    const trustOptions = { now, graceMs: GRACE_MS, serial: serialNumber, signal };
    // First: Envoy Gateway waits for its own certificates alone, and asks for backends as soon as it runs.
    const pools = await reconcileTrust(client, inferencePoolTrust(own), trustOptions);
    const trust = envoyGateway && (await reconcileEnvoyGatewayCertificates(client, envoyGateway, trustOptions));
    const dueIn = waitUntil(Math.min(pools.dueAt, trust?.dueAt ?? Number.POSITIVE_INFINITY), now);
    return {
      problems: [...problems, ...pools.problems, ...(trust?.problems ?? [])],
      dueIn: problems.length > 0 ? Math.min(dueIn, AFTER_FAULT_MS) : dueIn,
    };
  };

  /** Each once, and again when it has changed. */
  function tell(result: CrdResult): void {
    const { name, action } = result;
    const text =
      action === 'refused'
        ? result.fault.message
        : action === 'kept'
          ? `${name} kept: ${result.why}`
          : `${name} ${action}`;
    if (told.get(name) === text || (action === 'kept' && result.why === 'same')) return;
    told.set(name, text);
    log[action === 'refused' ? 'error' : 'info'](text);
  }
}

function crdProblem(result: CrdResult): Problem[] {
  if (result.action !== 'refused') return [];
  const { reason, message } = result.fault;
  return [{ condition: 'Accepted', reason: `Crd${reason}`, message, blocks: true }];
}
