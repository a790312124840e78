import type { Logger } from 'pino';
import type { CompileOptions } from '../../lib/translate/compile-gateway-state';
import { openAccess } from '../kubernetes/access';
import { systemClock } from '../kubernetes/clock';
import { createHttpApiClient } from '../kubernetes/http-api-client';
import { kubernetesSource } from './kubernetes-source';
import { configAmong, readLastRun } from './last-run';
import type { ObjectSet, ObjectSource, SourceStatus } from './object-source';
import { rememberingSource } from './remembering-source';

export interface ClusterObjectsOptions {
  /** Of the InferenceGatewayConfig. */
  readonly namespace: string;
  readonly name: string;
  /** Path; default: as `openAccess` finds the cluster. */
  readonly kubeconfig?: string | undefined;
  /** Where the last objects are kept for the next process; default: nowhere. */
  readonly stateFile?: string | undefined;
  /** Schedulers, by name, whose pods and picker files count. */
  readonly own: (scheduler: string) => boolean;
  /** Whether pods count. */
  readonly pods: boolean;
  /** Product, as the API server sees it. */
  readonly userAgent: string;
  readonly log: Logger;
}

export interface ClusterObjects {
  readonly source: ObjectSource;
  /** How they are to be compiled. */
  readonly compile: CompileOptions;
  status(): SourceStatus;
  /** A set has come into force. */
  keep(set: ObjectSet): void;
}

/** The objects of one gateway of a cluster. Rejects where no cluster is named, or its credentials cannot be read. */
export async function clusterObjects(options: ClusterObjectsOptions): Promise<ClusterObjects> {
  const { namespace, name, kubeconfig, stateFile, own, pods, userAgent, log } = options;
  const clock = systemClock;
  const access = await openAccess({ ...(kubeconfig !== undefined && { kubeconfig }), clock, log });
  const client = createHttpApiClient({ access, random: Math.random, clock, userAgent });
  const gateway = `${namespace}/${name}`;
  const kept = stateFile === undefined ? undefined : await readLastRun(stateFile, gateway, log);
  const last = kept && configAmong(kept);
  const cluster = kubernetesSource({ namespace, name, own, pods, last, client, clock, random: Math.random, log });
  const compile: CompileOptions = { tolerant: true, withoutPods: (scheduler) => !pods || !own(scheduler) };
  const { silentMs, isAnswered } = cluster;
  if (stateFile === undefined) {
    return { source: cluster, compile, status: () => ({ silentMs: silentMs(), isRemembered: false }), keep() {} };
  }
  const source = rememberingSource({ source: cluster, isAnswered, kept, path: stateFile, gateway, clock, log });
  const { isRemembered, keep } = source;
  return { source, compile, status: () => ({ silentMs: silentMs(), isRemembered: isRemembered() }), keep };
}
