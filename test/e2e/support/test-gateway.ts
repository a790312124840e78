import type { GatewayState } from '../../../lib/translate/gateway-state';
import type { LocalGateway } from '../../../runtime/local/local-gateway';
import type { PodProcess } from './pod-process';

export interface TestPodOptions {
  /** `metadata.name`. */
  readonly name: string;
  /** The scheduler whose pod it is: the label `app`. */
  readonly scheduler: string;
  /** The Ready condition at the start, default true. */
  readonly ready?: boolean;
  /** Model that the server serves; default the scheduler's `modelName`. */
  readonly model?: string;
  readonly adapters?: readonly string[];
  /** Engine seconds per second, default 20: answers come soon, and still token by token. */
  readonly speed?: number;
  /** More flags of `inference-gateway model-server`. */
  readonly flags?: readonly string[];
  /** No process behind it: what connects is refused, unless the test listens there itself. */
  readonly absent?: true;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface TestGatewayOptions {
  /** `spec.schedulers`; `modelSelector` (app = name) and `targetPort` are filled in. */
  readonly schedulers: readonly (Fields & { readonly name: string; readonly modelName?: string })[];
  readonly pods: readonly TestPodOptions[];
  /** The other fields of the InferenceGatewayConfig's `spec`; default BBR on and `explain` off. */
  readonly spec?: Fields;
  /** Objects beside it: ConfigMaps, InferenceModelRewrites. */
  readonly objects?: readonly Fields[];
  /** Milliseconds, default the product's. */
  readonly streamIdleTimeoutMs?: number;
  /** Picker processes; default those of `IGW_TEST_PICKERS`, or none. */
  readonly pickers?: number;
}

export interface TestPod extends PodProcess {
  readonly name: string;
}

export interface TestGateway {
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string;
  /** Throws where the gateway runs on Kubernetes. */
  readonly local: LocalGateway;
  /** The folder of objects that the gateway follows. */
  readonly folder: string;
  /** By name. Rejects pods that are absent. */
  pod(name: string): TestPod;
  readonly pods: readonly TestPod[];
  /** `ip:port` of a pod, absent ones too. */
  address(name: string): string;
  /** Starts the process of a pod that was absent. */
  startAbsent(name: string): Promise<void>;
  /** Resolves once what the routers go by holds, after an edit. */
  untilInForce(what: string, holds: (state: GatewayState) => boolean): Promise<void>;
  /** A signal to every router, or picker, process that runs now; one that ends is started anew. */
  signalAll(kind: 'router' | 'picker', signal: NodeJS.Signals): void;
  /** Resolves once no request is in flight by the pickers' ledgers. */
  untilIdle(): Promise<void>;
  /** The metrics pages of the routers and of the picker processes, one after another. */
  metrics(): Promise<string>;
  /** What the supervisor logged, as JSON lines. */
  readonly logs: readonly string[];
  /** Puts another `spec` (with its schedulers, filled in as at the start) in the gateway's file. */
  writeConfig(schedulers: TestGatewayOptions['schedulers'], spec?: Fields): Promise<void>;
  /** Sets the Ready condition of the pods named, in the pods' file. */
  writeReady(ready: Readonly<Record<string, boolean>>): Promise<void>;
  /** Gives a pod to another scheduler: its label `app`, and more labels. */
  writeLabels(pod: string, app: string, more?: Readonly<Record<string, string>>): Promise<void>;
  /** A file of objects in the folder, replaced as a whole; without objects it is removed. */
  writeObjects(file: string, objects: readonly Fields[]): Promise<void>;
  /** Ends every process, and removes the folder. */
  close(): Promise<void>;
}
