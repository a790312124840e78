import type { V1Pod, V1Service } from '@kubernetes/client-node';
import type { RecordEvent } from '../api/events';
import type { Images } from './images';
import type { Lookup } from './lookup';
import type { PodNetwork } from './pod-network';
import type { PodVolumes } from './volumes/pod-volumes';

/** What the containers of one pod share. */
export interface PodContext {
  readonly pod: V1Pod;
  /** Of this pod, in memory. */
  readonly folder: string;
  readonly network: PodNetwork;
  readonly volumes: PodVolumes;
  readonly addresses: { readonly podIp: string; readonly hostIp: string };
  readonly images: Images;
  readonly lookup: Lookup;
  readonly services: () => readonly V1Service[];
  /** A folder with the device files of a container. */
  readonly devices: string;
  readonly resolvConf: string;
  readonly logFile: (container: string) => string;
  readonly event: RecordEvent;
  /** Milliseconds from an end to the second restart; doubles with each, up to a minute. */
  readonly restartDelay: number;
}
