import type { InferenceGatewayConfig } from '../../../../lib/api/inference-gateway-config/inference-gateway-config';
import { validateObject } from '../../../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { translateGateway } from '../../../../lib/translate/cluster/translate-gateway';
import type { Installation, Translation, World } from '../../../../lib/translate/cluster/types';

export type Fields = Readonly<Record<string, unknown>>;

export const INSTALLATION: Installation = {
  systemNamespace: 'system',
  envoyNamespace: 'system',
  gatewayControllerName: 'example.com/controller',
  image: { reference: 'inference-gateway:1', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
};

export const WORLD: World = { configs: [], objects: [], certManager: true, loadBalancerController: true };

/** A scheduler that selects the pods labelled `app=<name>` and serves the model of its name. */
export function scheduler(name: string, fields: Fields = {}): Fields {
  return { name, modelName: name, modelSelector: { matchLabels: { app: name } }, ...fields };
}

/** `models/gateway` with these schedulers, with defaults filled in. Throws what is wrong with it. */
export function config(
  schedulers: readonly Fields[],
  spec: Fields = {},
  metadata: Fields = {},
): InferenceGatewayConfig {
  const result = validateObject({
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'gateway', namespace: 'models', uid: 'uid-1', ...metadata },
    spec: { bbr: { enabled: true }, tls: {}, schedulers, ...spec },
  });
  if ('object' in result) return result.object as InferenceGatewayConfig;
  throw new Error(JSON.stringify(result));
}

export function translate(
  subject: InferenceGatewayConfig,
  world: Partial<World> = {},
  installation: Partial<Installation> = {},
): Translation {
  return translateGateway(subject, { ...INSTALLATION, ...installation }, { ...WORLD, ...world });
}

/** The one object of this kind and name. */
export function find({ objects }: Pick<Translation, 'objects'>, kind: string, name: string): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  if (found.length !== 1) throw new Error(`${found.length} objects are ${kind} ${name}`);
  return found[0]!;
}

export function ofKind({ objects }: Pick<Translation, 'objects'>, kind: string): readonly KubernetesObject[] {
  return objects.filter((object) => object.kind === kind);
}

/** A value deep in an object; undefined where there is none. */
export function at(object: unknown, ...path: ReadonlyArray<string | number>): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], object);
}
