import type { Logger } from 'pino';
import { GROUP } from '../../lib/translate/cluster/names';
import type { Installation } from '../../lib/translate/cluster/types';
import { startPoolStatusLoop } from '../inference-pools/status/pool-status-loop';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { createEventRecorder } from '../kubernetes/events';
import { createWorkQueue } from '../kubernetes/work-queue';
import { createAppliedObjects } from './applied-objects';
import { createCertificateImports } from './certificate-imports';
import { createCertificateKeeper } from './certificate-keeper';
import { type ClusterSetupOptions, createClusterSetup } from './cluster-setup';
import { createCoexistence } from './coexistence';
import { createDisputes } from './disputes';
import { startEndpointSlicesLoop } from './endpoint-slices-loop';
import { createGatewayEvents } from './events';
import { createFreshView } from './fresh-view';
import type { GatewayCertificates } from './gateway-certificates';
import type { ControllerMetrics } from './metrics';
import { type Owner, ownerOfConfig } from './owner';
import { createReconcile } from './reconcile';
import { createStatusWriter } from './status-writer';
import { createStoreWork } from './store-work';
import type { Watches, WatchListener } from './watches';

export interface TermOptions {
  /** Refuses to write once this process leads no more. */
  readonly client: ApiClient;
  readonly watches: Watches;
  readonly installation: Installation;
  readonly certificates: (client: ApiClient) => GatewayCertificates;
  readonly prepare: ClusterSetupOptions['prepare'];
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Name of the pod. */
  readonly instance: string;
  /** Ends the term. */
  readonly signal: AbortSignal;
}

/** What a leader does. Nothing is carried over from one term to the next: another may have written in between. */
export interface Term {
  readonly listener: WatchListener;
  queueDepth(): number;
  /** Nothing is under way any more. */
  readonly done: Promise<void>;
}

/** Changes come in bursts. Milliseconds. */
const COALESCE_MS = 100;

/**
 * The status counts pods, and may be behind by this much: of a gateway with 100 schedulers the API server works on one write
 * of it for most of a second. Milliseconds.
 */
const PODS_MS = 3_000;

/** Everything is looked at again so often, whatever the watches say. Milliseconds. */
const RESYNC_MS = 300_000;

/** Kinds that are not known yet are looked for again. Milliseconds. */
const UNKNOWN_MS = 10_000;

/** Key of the work for the whole cluster; no gateway has it. */
const CLUSTER = 'cluster';

export function startTerm(options: TermOptions): Term {
  const { client, watches, clock, random, log, instance, signal } = options;
  const applied = createAppliedObjects();
  const strangers = new Set<string>();
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    log,
    controller: `${GROUP}/controller`,
    instance,
    signal,
  });
  const disputes = createDisputes(client, applied, clock);
  const status = createStatusWriter(client, clock);
  const setup = createClusterSetup({ ...options, applied, disputes, seen: (object) => watches.find(object) });
  const coexistence = createCoexistence(client, watches, options.installation.systemNamespace);
  const slices = startEndpointSlicesLoop({ ...options, applied, disputes, strangers });
  const pools = startPoolStatusLoop({
    ...options,
    mayWrite: async (at) => watches.knowsOthers() && (await coexistence.another(at)) === undefined,
  });
  const certificates = options.certificates(client);
  const storeWork = createStoreWork({ clock, random, log, signal });
  const again = (owner: Owner, ms: number) => queue.addAfter(owner, ms);
  const reconcile = createReconcile({
    ...options,
    certificates,
    storeWork,
    keeper: createCertificateKeeper(certificates, watches, clock),
    imports: createCertificateImports({ ...options, certificates, storeWork, again }),
    view: createFreshView(client),
    applied,
    disputes,
    strangers,
    slices,
    setup,
    coexistence,
    status,
    events: createGatewayEvents(recorder),
  });
  const queue = createWorkQueue({
    clock,
    random,
    signal,
    work,
    onFault: (key, error, retryMs) => log.warn({ gateway: key, retryMs }, error.message),
  });

  async function work(key: string): Promise<void> {
    const dueIn = key === CLUSTER ? await setUp() : await reconcile(key, signal);
    if (dueIn !== undefined) queue.addAfter(key, dueIn);
  }

  async function setUp(): Promise<number | undefined> {
    if (watches.unknown().length > 0) return UNKNOWN_MS;
    const another = await coexistence.another(signal);
    if (another !== undefined) {
      log.warn(another.message);
      return undefined;
    }
    try {
      return await setup.run(signal);
    } finally {
      addGateways();
    }
  }

  /** Also of those whose config is gone: they may have left something. */
  function addGateways(): void {
    const owners = new Set([...watches.configs().map(ownerOfConfig), ...watches.owners()]);
    for (const owner of owners) queue.addAfter(owner, COALESCE_MS);
  }

  async function resync(): Promise<void> {
    while (!signal.aborted) {
      queue.add(CLUSTER);
      addGateways();
      pools.look();
      await clock.sleep(RESYNC_MS, signal);
    }
  }

  return {
    listener: {
      gateway: (owner) => queue.addAfter(owner, COALESCE_MS),
      status(config) {
        if (!status.isWritten(config)) queue.addAfter(ownerOfConfig(config), COALESCE_MS);
      },
      pod(old, now) {
        for (const owner of slices.podChanged(old, now)) queue.addAfter(owner, PODS_MS);
      },
      slice: (owner, scheduler) => slices.sliceChanged(owner, scheduler),
      gone(object) {
        applied.forget(object);
        if (object.metadata.uid !== undefined) strangers.delete(object.metadata.uid);
      },
      everything() {
        queue.addAfter(CLUSTER, COALESCE_MS);
        addGateways();
        pools.look();
      },
    },
    queueDepth: () => queue.depth(),
    done: Promise.all([resync(), queue.done, storeWork.done, slices.done, pools.done]).then(() => {}),
  };
}
