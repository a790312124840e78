import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkObjects, ofKind } from '../../lib/translate/check-objects';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { byKey } from '../../lib/translate/cluster/object-key';
import { endpointSlices } from '../../lib/translate/cluster/schedulers/endpoint-slices';
import { translateGateway } from '../../lib/translate/cluster/translate-gateway';
import type { Installation, Problem, World } from '../../lib/translate/cluster/types';
import { parseYamlDocuments } from '../../runtime/objects/yaml-documents';

export const FOLDER = join(__dirname, 'golden');

/** Names of the cases: `<case>.in.yaml` becomes `<case>.out.yaml`. */
export const CASES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.in.yaml'))
  .map((name) => name.slice(0, -'.in.yaml'.length));

const INSTALLATION: Installation = {
  systemNamespace: 'inference-gateway',
  envoyNamespace: 'inference-gateway',
  gatewayControllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
  image: { reference: 'example.com/inference-gateway:1.0.0', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
};

const WORLD = { certManager: true, loadBalancerController: true } as const;

interface Outcome {
  readonly objects: readonly KubernetesObject[];
  readonly problems: readonly Problem[];
}

/**
 * What the controller makes of a case. A document of kind `Cluster` changes the installation and what is known of the
 * cluster; the config that is labelled `translated: "no"` is there, and is not the one that is translated.
 */
export function outcomeOf(name: string): Outcome {
  const path = join(FOLDER, `${name}.in.yaml`);
  const { objects: documents, faults } = parseYamlDocuments(readFileSync(path, 'utf8'), `${name}.in.yaml`);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  const raw = documents.map(({ value }) => value as KubernetesObject & Partial<ClusterDocument>);
  const cluster = raw.find(({ kind }) => kind === 'Cluster');
  const checked = checkObjects(
    documents.filter(({ value }) => value !== cluster),
    { tolerant: true },
  );
  if ('faults' in checked) throw new Error(checked.faults.join('\n'));
  const config = ofKind(checked.objects, 'InferenceGatewayConfig')
    .map(({ object }) => object)
    .find(({ metadata }) => metadata.labels?.translated !== 'no')!;
  const { namespace } = config.metadata;
  const world: World = {
    ...WORLD,
    ...cluster?.world,
    configs: raw.filter(({ kind }) => kind === 'InferenceGatewayConfig'),
    objects: raw.filter(({ kind, metadata }) => READ.includes(kind) && metadata.namespace === namespace),
  };
  const installation = { ...INSTALLATION, ...cluster?.installation };
  const { objects, problems, pickerDeployments } = translateGateway(config, installation, world);
  const pods = ofKind(checked.objects, 'Pod').filter(({ object }) => object.metadata.namespace === namespace);
  const slices = config.spec.schedulers
    .filter((scheduler) => pickerDeployments.has(scheduler.name))
    .flatMap((scheduler) => endpointSlices(config, scheduler, pods, [], installation.ipFamily));
  return { objects: [...objects, ...slices].sort(byKey), problems };
}

const READ = ['ConfigMap', 'InferenceModelRewrite', 'InferenceObjective'];

interface ClusterDocument {
  readonly installation: Partial<Installation>;
  readonly world: Partial<World>;
}
