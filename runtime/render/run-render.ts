import { stringify } from 'yaml';
import { checkObjects, ofKind } from '../../lib/translate/check-objects';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { byKey } from '../../lib/translate/cluster/object-key';
import { endpointSlices } from '../../lib/translate/cluster/schedulers/endpoint-slices';
import { translateGateway } from '../../lib/translate/cluster/translate-gateway';
import type { Installation, Problem, World } from '../../lib/translate/cluster/types';
import { readObjectFiles } from '../objects/read-object-files';

export interface RenderResult {
  /** Documents of everything that a cluster would hold for the gateways; empty where there are faults. */
  readonly yaml: string;
  /** Why nothing can be rendered: `file:line path: message`, or what blocks a gateway. */
  readonly faults: readonly string[];
  /** What holds in a cluster too. */
  readonly warnings: readonly string[];
}

/** What a cluster holds beside the files: everything that the gateway may ask for. */
const FURNISHED = { certManager: true, loadBalancerController: true } as const;

/**
 * What the controller would make in a cluster of the InferenceGatewayConfigs in files and folders, and of the other
 * objects there. Rejects where a path cannot be read.
 */
export async function runRender(paths: readonly string[], installation: Installation): Promise<RenderResult> {
  const { objects: values, faults } = await readObjectFiles(paths);
  const checked = checkObjects(values);
  if ('faults' in checked || faults.length > 0) {
    return { yaml: '', faults: [...faults, ...('faults' in checked ? checked.faults : [])], warnings: [] };
  }
  const configs = ofKind(checked.objects, 'InferenceGatewayConfig').map(({ object }) => object);
  if (configs.length === 0) return { yaml: '', faults: ['no InferenceGatewayConfig was found'], warnings: [] };
  const all = checked.objects.map(({ object }) => object as unknown as KubernetesObject);
  const objects = new Map<string, KubernetesObject>();
  const problems: string[] = [];
  const blocks: string[] = [];
  for (const config of configs) {
    const { namespace, name } = config.metadata;
    const world: World = {
      ...FURNISHED,
      configs: all.filter(({ kind }) => kind === 'InferenceGatewayConfig'),
      objects: all.filter(({ kind, metadata }) => metadata.namespace === namespace && READ_KINDS.has(kind)),
    };
    const translation = translateGateway(config, installation, world);
    for (const problem of translation.problems) {
      (problem.blocks ? blocks : problems).push(`${namespace}/${name}: ${problemText(problem)}`);
    }
    const pods = ofKind(checked.objects, 'Pod').filter(({ object }) => object.metadata.namespace === namespace);
    const kept = config.spec.schedulers.filter((scheduler) => translation.pickerDeployments.has(scheduler.name));
    const slices = kept.flatMap((scheduler) => endpointSlices(config, scheduler, pods, [], installation.ipFamily));
    for (const object of [...translation.objects, ...slices].sort(byKey)) objects.set(JSON.stringify(object), object);
  }
  const yaml = [...objects.values()].map((object) => stringify(object, YAML)).join('---\n');
  return blocks.length > 0
    ? { yaml: '', faults: blocks, warnings: problems }
    : { yaml, faults: [], warnings: problems };
}

const READ_KINDS: ReadonlySet<string> = new Set(['ConfigMap', 'InferenceModelRewrite', 'InferenceObjective']);

const YAML = { lineWidth: 0, aliasDuplicateObjects: false } as const;

function problemText({ scheduler, message }: Problem): string {
  return scheduler === undefined ? message : `scheduler ${scheduler}: ${message}`;
}
