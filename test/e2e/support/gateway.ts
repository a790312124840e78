import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { type LocalGateway, startLocalGateway } from '../../../runtime/local/local-gateway';
import { freeAddresses } from './free-addresses';
import { COMMAND, type PodProcess, startPodProcess } from './pod-process';
import { send } from './send';
import { until } from './until';

/** Picker processes, where a test does not say: IGW_TEST_PICKERS runs the same tests against processes of their own. */
const PICKERS = Number(process.env.IGW_TEST_PICKERS ?? 0);

interface TestPodOptions {
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

type Fields = Readonly<Record<string, unknown>>;

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

interface TestPod extends PodProcess {
  readonly name: string;
}

export interface TestGateway {
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string;
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
  /** Resolves once no request is in flight by the pickers' ledgers. */
  untilIdle(): Promise<void>;
  /** The metrics pages of the router and of the picker processes, one after another. */
  metrics(): Promise<string>;
  /** What the supervisor logged, as JSON lines. */
  readonly logs: readonly string[];
  /** Puts another `spec` (with its schedulers, filled in as at the start) in the gateway's file. */
  writeConfig(schedulers: TestGatewayOptions['schedulers'], spec?: Fields): Promise<void>;
  /** Sets the Ready condition of the pods named, in the pods' file. */
  writeReady(ready: Readonly<Record<string, boolean>>): Promise<void>;
  /** A file of objects in the folder, replaced as a whole; without objects it is removed. */
  writeObjects(file: string, objects: readonly Fields[]): Promise<void>;
  /** Ends every process, and removes the folder. */
  close(): Promise<void>;
}

/** A gateway as `inference-gateway local` runs it, and a process for every pod. Rejects with nothing left running. */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'igw-e2e-'));
  const { hosts, port } = await freeAddresses(options.pods.length);
  const ready = new Map(options.pods.map((pod) => [pod.name, pod.ready ?? true]));
  const logs: string[] = [];
  const pods: TestPod[] = [];
  let local: LocalGateway | undefined;

  const close = async () => {
    await local?.close();
    // A stopped process takes SIGKILL too.
    await Promise.all(pods.map((pod) => pod.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  const write = async (file: string, objects: readonly Fields[]) => {
    const path = join(folder, file);
    if (objects.length === 0) return await rm(path, { force: true });
    await writeFile(`${path}.next`, objects.map((object) => stringify(object)).join('---\n'));
    await rename(`${path}.next`, path);
  };
  const writeConfig: TestGateway['writeConfig'] = (schedulers, spec = options.spec) =>
    write('gateway.yaml', [gatewayObject(schedulers, port, spec ?? {})]);
  const startPod = async (pod: TestPodOptions) => {
    const host = hosts[options.pods.indexOf(pod)];
    pods.push({ ...(await startPodProcess(`${host}:${port}`, podFlags(pod, options.schedulers))), name: pod.name });
  };
  const writePods = () =>
    write(
      'pods.yaml',
      options.pods.map((pod, index) => podObject(pod, hosts[index]!, ready.get(pod.name)!)),
    );

  try {
    await Promise.all([writeConfig(options.schedulers), writePods(), write('objects.yaml', options.objects ?? [])]);
    const started = await Promise.allSettled(options.pods.filter(({ absent }) => !absent).map(startPod));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    local = await startLocalGateway({
      paths: [folder],
      listen: { host: '127.0.0.1', port: 0 },
      envoy: await findEnvoy(),
      routerScript: COMMAND,
      pickers: options.pickers ?? PICKERS,
      log: pino({ level: 'info' }, { write: (line: string) => void logs.push(line) }),
      logLevel: 'error',
      ...(options.streamIdleTimeoutMs !== undefined && { streamIdleTimeoutMs: options.streamIdleTimeoutMs }),
    });
  } catch (error) {
    await close();
    throw error;
  }

  const { url, pools, metricsUrl, pickerMetricsUrls } = local;
  return {
    url,
    local,
    folder,
    pods,
    logs,
    pod(name) {
      const found = pods.find((pod) => pod.name === name);
      if (found === undefined) throw new Error(`no process of a pod ${name}`);
      return found;
    },
    startAbsent: (name) => startPod(options.pods.find((pod) => pod.name === name)!),
    async untilIdle() {
      await until('no request is in flight', async () => {
        const statuses = await pools();
        return statuses.length > 0 && statuses.every(({ pods }) => pods.every(({ inFlight }) => inFlight === 0));
      });
    },
    async metrics() {
      const urls = [metricsUrl(), ...pickerMetricsUrls()].filter((one) => one !== undefined);
      const pages = await Promise.all(urls.map((one) => send(one, '/metrics')));
      return pages.map(({ body }) => body.toString()).join('');
    },
    address: (name) => `${hosts[options.pods.findIndex((pod) => pod.name === name)]}:${port}`,
    writeConfig,
    async writeReady(changes) {
      for (const [name, value] of Object.entries(changes)) ready.set(name, value);
      await writePods();
    },
    writeObjects: write,
    close,
  };
}

function gatewayObject(schedulers: TestGatewayOptions['schedulers'], port: number, spec: Fields): Fields {
  return {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'test', namespace: 'default' },
    spec: {
      bbr: { enabled: true },
      ...spec,
      schedulers: schedulers.map((scheduler) => ({
        modelSelector: { matchLabels: { app: scheduler.name } },
        targetPort: port,
        ...scheduler,
      })),
    },
  };
}

function podObject({ name, scheduler }: TestPodOptions, host: string, ready: boolean): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: scheduler } },
    status: { podIP: host, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function podFlags(pod: TestPodOptions, schedulers: TestGatewayOptions['schedulers']): readonly string[] {
  const model = pod.model ?? schedulers.find(({ name }) => name === pod.scheduler)?.modelName;
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(pod.adapters === undefined ? [] : ['--adapters', ...pod.adapters]),
    ...['--speed', String(pod.speed ?? 20)],
    ...(pod.flags ?? []),
  ];
}

/** A ConfigMap that names adapters, as the Body-Based Router reads it. */
export function adaptersObject(baseModel: string, adapters: readonly string[]): Fields {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `adapters-of-${baseModel.replaceAll(/[^a-z0-9]/g, '-')}`,
      namespace: 'default',
      labels: { 'inference.networking.k8s.io/bbr-managed': 'true' },
    },
    data: { baseModel, adapters: adapters.map((adapter) => `- ${adapter}\n`).join('') },
  };
}

/** An InferenceModelRewrite of one rule: `from` to the targets, by weight; without `from` a generic rule. */
export function rewriteObject(
  name: string,
  scheduler: string,
  from: string | undefined,
  targets: Readonly<Record<string, number>>,
): Fields {
  return {
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceModelRewrite',
    metadata: { name, namespace: 'default' },
    spec: {
      poolRef: { name: scheduler },
      rules: [
        {
          ...(from !== undefined && { matches: [{ model: { type: 'Exact', value: from } }] }),
          targets: Object.entries(targets).map(([modelRewrite, weight]) => ({ modelRewrite, weight })),
        },
      ],
    },
  };
}
