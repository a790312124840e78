import { pino } from 'pino';
import type { InferenceGatewayConfig } from '../../../../lib/api/inference-gateway-config/inference-gateway-config';
import type { Pod } from '../../../../lib/api/pod';
import { validateObject } from '../../../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { MANAGER, SCHEDULER_LABEL } from '../../../../lib/translate/cluster/names';
import type { OwningConfig } from '../../../../lib/translate/cluster/owned-object';
import { endpointSlices } from '../../../../lib/translate/cluster/schedulers/endpoint-slices';
import { translateGateway } from '../../../../lib/translate/cluster/translate-gateway';
import type { Installation, Problem } from '../../../../lib/translate/cluster/types';
import { recordSecret, withRecord } from '../../../../runtime/controller/certificates/client-certificate';
import { type Controller, startController } from '../../../../runtime/controller/controller';
import type { ClientCertificate, EnsuredCertificates } from '../../../../runtime/controller/gateway-certificates';
import { RESOURCES, resourceOf } from '../../../../runtime/kubernetes/resources';
import { VirtualClock } from '../../../support/clocks';
import { copyOf } from './field-ownership';
import { Link } from './link';
import { MemoryApi } from './memory-api';

export const INSTALLATION: Installation = {
  systemNamespace: 'inference-system',
  envoyNamespace: 'inference-system',
  gatewayControllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
  image: { reference: 'inference-gateway:test', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
};

export const CONFIGS = resourceOf('inference.sagemaker.aws.amazon.com/v1alpha1', 'InferenceGatewayConfig');
export const DEPLOYMENTS = resourceOf('apps/v1', 'Deployment');
export const SERVICES = resourceOf('v1', 'Service');
export const SLICES = resourceOf('discovery.k8s.io/v1', 'EndpointSlice');
export const ROUTES = resourceOf('gateway.networking.k8s.io/v1', 'HTTPRoute');
export const GATEWAYS = resourceOf('gateway.networking.k8s.io/v1', 'Gateway');
export const PODS = resourceOf('v1', 'Pod');
const EVENTS = resourceOf('events.k8s.io/v1', 'Event');

interface Running extends Controller {
  /** As by SIGTERM. */
  stop(): Promise<void>;
  /** As by SIGKILL: nothing of it reaches the cluster any more. */
  kill(): void;
  /** Its watches of the kind bring nothing, until the function that this gives is called. */
  blindTo(kind: string): () => void;
  /** What it sends does not arrive, until `reconnect`: then it does, late. */
  cutOff(): void;
  reconnect(): void;
}

type Json = Record<string, unknown>;

/** A cluster in memory and controllers of it, in time that passes when it is told to. */
export class Bench {
  readonly api = new MemoryApi();
  readonly clock = new VirtualClock();
  /** Certificates that the controller had deleted. */
  readonly deletedCertificates: string[] = [];
  /** Why a certificate cannot be deleted. */
  certificateInUse: string | undefined;
  clientCertificate: ClientCertificate = {};
  readCertificate = (): Promise<ClientCertificate> => Promise.resolve(this.clientCertificate);
  ensureCertificates = (): Promise<EnsuredCertificates> => Promise.resolve({ problems: [] });
  importCertificate = (_signal: AbortSignal): Promise<EnsuredCertificates> => Promise.resolve({ problems: [] });
  deleteCertificate = (): Promise<void> => Promise.resolve();
  /** What the store says was imported. */
  findCertificate = (): Promise<string | undefined> => Promise.resolve(undefined);
  setupProblems: readonly Problem[] = [];
  setupFault: Error | undefined;
  prepared = (): Promise<void> => Promise.resolve();
  setups = 0;
  /** Warnings and errors. */
  readonly warnings: string[] = [];
  private readonly ends = new Set<AbortController>();

  start(name = 'controller-1', installation = INSTALLATION): Running {
    const end = new AbortController();
    this.ends.add(end);
    const link = new Link(this.api);
    const { client } = link;
    const controller = startController({
      client,
      leaseClient: client,
      installation,
      identity: `${name}-${this.ends.size}`,
      instance: name,
      clock: this.clock,
      random: () => 0.5,
      log: pino({ level: process.env.BENCH_LOG ?? 'warn' }, { write: (line) => this.log(line) }),
      signal: end.signal,
      prepare: async () => {
        this.setups += 1;
        await this.prepared();
        if (this.setupFault !== undefined) throw this.setupFault;
        return { problems: this.setupProblems };
      },
      certificates: () => ({
        read: () => this.readCertificate(),
        ensure: () => this.ensureCertificates(),
        importIssued: (_config, signal) => this.importCertificate(signal),
        findImported: () => this.findCertificate(),
        deleteImported: async (arn) => {
          await this.deleteCertificate();
          if (this.certificateInUse !== undefined) throw new Error(this.certificateInUse);
          this.deletedCertificates.push(arn);
        },
      }),
    });
    return Object.assign(controller, {
      stop: async () => {
        end.abort();
        await this.settle(1_000);
        await controller.done;
      },
      kill: () => link.cut(),
      blindTo: (kind: string) => link.blindTo(kind),
      cutOff: () => link.cut(),
      reconnect: () => link.mend(),
    });
  }

  async close(): Promise<void> {
    this.api.mishap = () => undefined;
    for (const end of this.ends) end.abort();
    await this.settle(60_000);
  }

  private log(line: string): void {
    if (process.env.BENCH_LOG !== undefined) process.stdout.write(line);
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (level >= pino.levels.values.warn!) this.warnings.push(msg);
  }

  /** Milliseconds. */
  settle(ms = 3_000): Promise<void> {
    return this.clock.advance(ms);
  }

  put(object: Json & { apiVersion: string; kind: string; metadata: KubernetesObject['metadata'] }): KubernetesObject {
    return this.api.cluster.put(resourceOf(object.apiVersion, object.kind), object);
  }

  /** The controller's record of a certificate that it has imported. */
  recordImport(config: KubernetesObject, arn: string): Promise<KubernetesObject> {
    const secret = recordSecret(config as unknown as OwningConfig, INSTALLATION);
    const record = withRecord(secret, { arn, fingerprint: '' });
    return this.api.apply(resourceOf('v1', 'Secret'), record, { fieldManager: MANAGER });
  }

  /** Somebody changes an object, by an update. */
  edit(object: KubernetesObject, change: (object: Json) => void): KubernetesObject {
    const { apiVersion, kind, metadata } = object;
    const resource = resourceOf(apiVersion, kind);
    const next = copyOf(this.api.cluster.get(resource, metadata.name, metadata.namespace)) as unknown as Json;
    change(next);
    return this.api.cluster.put(resource, next as never);
  }

  config(name = 'gw', namespace = 'team'): KubernetesObject {
    return this.api.cluster.get(CONFIGS, name, namespace)!;
  }

  /** Everything that the controller has made, of all gateways; Events aside. */
  made(): KubernetesObject[] {
    // Some kinds are known in two versions.
    const objects = RESOURCES.filter((resource) => resource !== EVENTS && resource !== CONFIGS)
      .flatMap((resource) => this.api.cluster.list(resource))
      .filter(({ metadata }) => 'managedFields' in metadata);
    return [...new Map(objects.map((object) => [object.metadata.uid, object])).values()];
  }

  find({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject | undefined {
    return this.api.cluster.get(resourceOf(apiVersion, kind), metadata.name, metadata.namespace);
  }

  /** What the config comes to in this cluster. */
  translation(config = this.config()) {
    const checked = validateObject(config);
    if (!('object' in checked)) throw new Error(JSON.stringify(checked));
    return translateGateway(checked.object as InferenceGatewayConfig, INSTALLATION, {
      configs: this.api.cluster.list(CONFIGS),
      objects: [],
      certManager: true,
      loadBalancerController: true,
    });
  }

  /** EndpointSlices that the pods of the cluster come to. */
  slices(config = this.config()): readonly KubernetesObject[] {
    const checked = validateObject(config) as { object: InferenceGatewayConfig };
    const pods = this.api.cluster.list(PODS, config.metadata.namespace);
    const known = pods.map((pod) => ({ object: pod as unknown as Pod, at: { source: 'test', value: pod } }));
    return checked.object.spec.schedulers.flatMap((scheduler) => {
      const existing = this.api.cluster
        .list(SLICES)
        .filter(({ metadata }) => metadata.labels?.[SCHEDULER_LABEL] === scheduler.name);
      return endpointSlices(checked.object, scheduler, known, existing, INSTALLATION.ipFamily);
    });
  }

  remove({ apiVersion, kind, metadata }: KubernetesObject): void {
    this.api.cluster.delete(resourceOf(apiVersion, kind), metadata.name, metadata.namespace);
  }

  /** `address ready` or `address not ready`, of a scheduler's EndpointSlices. */
  addresses(scheduler: string, namespace = 'team'): string[] {
    return this.api.cluster
      .list(SLICES, namespace)
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === `${scheduler}-pool`)
      .flatMap(({ endpoints }) => endpoints as Array<{ addresses: string[]; conditions: { ready: boolean } }>)
      .map(({ addresses, conditions }) => `${addresses[0]} ${conditions.ready ? 'ready' : 'not ready'}`)
      .sort();
  }

  eventReasons(name = 'gw'): string[] {
    return this.api.cluster
      .list(EVENTS)
      .filter(({ regarding }) => (regarding as { name: string }).name === name)
      .map(({ reason }) => String(reason));
  }

  condition(type: string, config = this.config()): { status: string; reason: string; message: string } | undefined {
    const { conditions = [] } = (config.status ?? {}) as {
      conditions?: Array<{ type: string; status: string; reason: string; message: string }>;
    };
    return conditions.find((condition) => condition.type === type);
  }
}
