import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiRefusal } from '../api/request';
import type { Cluster } from '../cluster';
import { installEnvoyGateway } from '../install-envoy-gateway';
import { ROOT } from '../standard-images';
import { AWS_NAMESPACE } from './aws-namespace';
import { CONFIG_CRD, contractDefinition } from './contract-definition';
import { type AwsObject, type Config, modelObjects, sharedObjects } from './gateway-objects';

/**
 * Stands in for the controller of the SageMaker HyperPod add-on, which cannot run here: its Deployment under its name, with
 * a real Envoy Gateway in it; its GatewayClass; and for each config the objects of the published contract. What it does is
 * read from AWS's guide; its finalizer's name is made up.
 */
export interface AwsController {
  /** As the add-on does when its `inferenceGateway.enabled` becomes true. */
  turnOn(): Promise<void>;
  /** The same, false: its programs go; the GatewayClass and the definitions are left. */
  turnOff(): Promise<void>;
  /** Rejects with what it has stumbled over. */
  stop(): Promise<void>;
}

const NAME = 'inference-gateway-controller';
const FINALIZER = 'inference.sagemaker.aws.amazon.com/aws';
const CONFIGS = '/apis/inference.sagemaker.aws.amazon.com/v1alpha1';
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${AWS_NAMESPACE}/deployments`;
const POLL_MS = 250;

export function awsController(cluster: Cluster): AwsController {
  const { client, kubectl } = cluster;
  let running: { readonly stopped: Promise<void>; stop(): void } | undefined;

  /** Under the name that ours has too, as a program of that name would. */
  const create = async (object: AwsObject) => {
    const args = ['create', `--field-manager=${NAME}`, '-f', '-'];
    await kubectl(args, JSON.stringify(object)).catch((error: Error) => {
      if (!error.message.includes('AlreadyExists')) throw error;
    });
  };
  const known = new Set<string>();

  async function reconcile(config: Config): Promise<void> {
    const { uid, name, namespace, finalizers = [], deletionTimestamp } = config.metadata;
    const path = `${CONFIGS}/namespaces/${namespace}/inferencegatewayconfigs/${name}`;
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(FINALIZER)) return;
      for (const { kind, metadata } of [...sharedObjects(config), ...modelObjects(config)]) {
        await kubectl(['-n', metadata.namespace, 'delete', kind, metadata.name, '--ignore-not-found']);
      }
      await client.merge(path, { metadata: { finalizers: finalizers.filter((one) => one !== FINALIZER) } });
      return;
    }
    if (known.has(uid)) return;
    await client.merge(path, { metadata: { finalizers: [...finalizers, FINALIZER] } });
    for (const object of [...sharedObjects(config), ...modelObjects(config)]) await create(object);
    const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
    const conditions = [{ ...condition, lastTransitionTime: new Date().toISOString() }];
    await client.merge(`${path}/status`, { status: { conditions } });
    known.add(uid);
  }

  async function run(isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      try {
        const { items } = await client.get<{ items: Config[] }>(`${CONFIGS}/inferencegatewayconfigs`);
        const type = { apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1', kind: 'InferenceGatewayConfig' };
        for (const item of items) await reconcile({ ...item, ...type });
      } catch (error) {
        // Its definition, or a config, has just been deleted or made.
        if (!(error instanceof ApiRefusal && [404, 409, 429].includes(error.code))) throw error;
      }
      await sleep(POLL_MS);
    }
  }

  async function stop(): Promise<void> {
    running?.stop();
    await running?.stopped;
    running = undefined;
  }

  return {
    stop,
    async turnOn() {
      await cluster.apply(await contractDefinition());
      await kubectl(['apply', '--server-side', '-f', join(ROOT, 'config/crd/vendor/inference-extension', POOLS)]);
      await kubectl(['wait', '--for=condition=Established', `crd/${CONFIG_CRD}`, '--timeout=60s']);
      await installEnvoyGateway(cluster, AWS_NAMESPACE, NAME);
      const spec = { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' };
      const metadata = { name: 'inference-gateway' } as AwsObject['metadata'];
      await create({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'GatewayClass', metadata, spec });
      let stopped = false;
      running = { stopped: run(() => stopped), stop: () => (stopped = true) };
      running.stopped.catch(() => {});
    },
    async turnOff() {
      await stop();
      await client.delete(`${DEPLOYMENTS}/${NAME}`);
      await kubectl(['-n', AWS_NAMESPACE, 'delete', 'service/envoy-gateway', 'configmap/envoy-gateway-config']);
    },
  };
}

const POOLS = 'inference.networking.k8s.io_inferencepools.yaml';
