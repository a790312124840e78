import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod, V1Service } from '@kubernetes/client-node';
import type { Client } from '../api/client';
import type { RecordEvent } from '../api/events';
import { findImage, type Images, isInert } from './images';
import type { Lookup } from './lookup';
import type { PodContext } from './pod-context';
import type { PodNetwork, PodNetworks } from './pod-network';
import { makeVolumes, type PodVolumes } from './volumes/pod-volumes';
import { tokensOf } from './volumes/tokens';

/** What all pods share. */
export interface KubeletContext {
  readonly client: Client;
  readonly event: RecordEvent;
  readonly images: Images;
  readonly lookup: Lookup;
  readonly services: () => readonly V1Service[];
  readonly networks: PodNetworks;
  readonly devices: string;
  readonly folder: string;
  readonly hostIp: string;
  readonly resolvConf: (pod: V1Pod) => string;
  readonly logFile: (pod: V1Pod, container: string) => string;
  readonly restartDelay: number;
}

/** What the containers of a pod live in. */
export interface PodSandbox {
  readonly network: PodNetwork;
  /** Waits for what its volumes are made from; undefined where it was stopped first. */
  context(signal: AbortSignal, missing: (why: string) => void): Promise<PodContext | undefined>;
  /** Writes volumes anew as what they are made from changes, until the signal. */
  keepVolumes(newest: () => V1Pod, signal: AbortSignal): Promise<void>;
  remove(): Promise<void>;
}

/** Milliseconds between looks at what volumes are made from. */
const REFRESH = 1_000;
const RETRY = 300;

export async function makeSandbox(pod: V1Pod, shared: KubeletContext): Promise<PodSandbox> {
  const inert = pod.spec!.containers.every(({ image }) => isInert(findImage(shared.images, image ?? '')));
  const folder = join(shared.folder, pod.metadata!.uid!);
  const network = inert ? shared.networks.makeAddress() : await shared.networks.make();
  const addresses = { podIp: network.ip, hostIp: shared.hostIp };
  const tokens = tokensOf(shared.client, pod, Date.now);
  const volumes = inert
    ? NO_VOLUMES
    : await makeVolumes(join(folder, 'volumes'), { pod, addresses, lookup: shared.lookup, tokens });
  if (!inert) await mkdir(folder, { recursive: true });

  return {
    network,
    async context(signal, missing) {
      while (!signal.aborted) {
        try {
          await volumes.refresh(pod);
          const { images, lookup, services, devices, event, restartDelay } = shared;
          return {
            ...{ pod, folder, network, volumes, addresses, images, lookup, services, devices, event, restartDelay },
            resolvConf: shared.resolvConf(pod),
            logFile: (container) => shared.logFile(pod, container),
          };
        } catch (error) {
          missing((error as Error).message);
          await pause(RETRY, signal);
        }
      }
      return undefined;
    },
    async keepVolumes(newest, signal) {
      if (inert) return;
      while (!signal.aborted) {
        await pause(REFRESH, signal);
        // What is missing now stays as it was.
        await volumes.refresh(newest()).catch(() => {});
      }
    },
    async remove() {
      await network.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const NO_VOLUMES: PodVolumes = { folder: () => '', writable: () => false, refresh: async () => {} };

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
