import type { ApiClient } from '../../kubernetes/api-client';
import type { Clock } from '../../kubernetes/clock';
import type { CrdFault } from './crd-fault';
import { CUSTOM_RESOURCE_DEFINITIONS, type CustomResourceDefinition } from './custom-resource-definition';
import { type CrdKept, decideCrd } from './decide-crd';
import { notEstablished } from './established';
import type { CrdBundle, ShippedCrd } from './shipped-crd';
import { writeCrd } from './write-crd';

export interface InstallCrdsOptions {
  readonly fieldManager: string;
  /** Those of other bundles are only looked at: somebody else installs them. */
  readonly managed: ReadonlySet<CrdBundle>;
  /** For each definition: how long the API server may take to serve it, and others to finish deleting it. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type CrdResult = { readonly name: string } & (
  | { readonly action: 'created' | 'upgraded' }
  | { readonly action: 'kept'; readonly why: CrdKept }
  | { readonly action: 'refused'; readonly fault: CrdFault }
);

const POLL_MS = 250;

/**
 * Brings the definitions that come with the gateway into the cluster, and waits until each is served. Never replaces one
 * that is not certainly older, and says what became of each. Can be repeated at any time: it takes up where another run
 * ended. Rejects with an ApiError where the API server cannot be asked.
 */
export async function installCrds(
  api: ApiClient,
  shipped: readonly ShippedCrd[],
  options: InstallCrdsOptions,
): Promise<CrdResult[]> {
  const results: CrdResult[] = [];
  for (const crd of shipped) results.push(await install(api, crd, options));
  return Promise.all(results.map((result) => untilServed(api, result, options)));
}

async function install(api: ApiClient, shipped: ShippedCrd, options: InstallCrdsOptions): Promise<CrdResult> {
  const { name } = shipped.definition.metadata;
  const end = options.clock.now() + options.timeoutMs;
  for (;;) {
    options.signal.throwIfAborted();
    const present = await read(api, name, options.signal);
    const decision = decideCrd(shipped, present, options.managed.has(shipped.bundle));
    if (decision.action === 'keep') return { name, action: 'kept', why: decision.why };
    const fault =
      decision.action === 'refuse' ? decision.fault : await writeCrd(api, shipped, present?.metadata, options);
    if (fault === undefined) return { name, action: decision.action === 'create' ? 'created' : 'upgraded' };
    const mayPass = fault.reason === 'Terminating' || fault.reason === 'Contended';
    if (!mayPass || options.clock.now() >= end) return { name, action: 'refused', fault };
    await options.clock.sleep(POLL_MS, options.signal);
  }
}

async function untilServed(api: ApiClient, result: CrdResult, options: InstallCrdsOptions): Promise<CrdResult> {
  if (result.action === 'refused' || (result.action === 'kept' && result.why === 'not-used')) return result;
  const end = options.clock.now() + options.timeoutMs;
  for (;;) {
    options.signal.throwIfAborted();
    const fault = notEstablished(result.name, await read(api, result.name, options.signal));
    if (fault === undefined) return result;
    if (options.clock.now() >= end) return { name: result.name, action: 'refused', fault };
    await options.clock.sleep(POLL_MS, options.signal);
  }
}

async function read(api: ApiClient, name: string, signal: AbortSignal): Promise<CustomResourceDefinition | undefined> {
  return (await api.get(CUSTOM_RESOURCE_DEFINITIONS, name, undefined, signal)) as CustomResourceDefinition | undefined;
}
