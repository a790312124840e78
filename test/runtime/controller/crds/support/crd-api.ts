import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
} from '../../../../../runtime/controller/crds/custom-resource-definition';
import type { ApplyOptions, Resource } from '../../../../../runtime/kubernetes/api-client';
import { type Call, MemoryApi, refused } from '../../support/memory-api';

const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True' }] };

/** An API server with definitions: their versions are applied as a whole, and it establishes them at once. */
export class CrdApi extends MemoryApi {
  /** What it makes of a definition that is written. */
  status: object = ESTABLISHED;

  /** What others have put there. */
  install(definition: CustomResourceDefinition): void {
    const status = { ...definition.status, ...ESTABLISHED };
    this.cluster.put(CUSTOM_RESOURCE_DEFINITIONS, { ...definition, status });
  }

  find(name: string): KubernetesObject | undefined {
    return this.cluster.get(CUSTOM_RESOURCE_DEFINITIONS, name);
  }

  annotations(name: string): Readonly<Record<string, string>> {
    return this.find(name)?.metadata.annotations ?? {};
  }

  override create(resource: Resource, object: KubernetesObject, signal?: AbortSignal): Promise<KubernetesObject> {
    return super.create(resource, { ...object, status: this.status }, signal);
  }

  override async apply(resource: Resource, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject> {
    const present = resource === CUSTOM_RESOURCE_DEFINITIONS ? this.find(object.metadata.name) : undefined;
    if (present === undefined) return super.apply(resource, object, options);
    const { resourceVersion } = object.metadata;
    const annotations = { ...present.metadata.annotations, ...object.metadata.annotations };
    const merged = { ...present, ...object, metadata: { ...present.metadata, annotations }, status: this.status };
    const call: Call = { verb: 'apply', resource, name: object.metadata.name, namespace: undefined };
    const mishap = this.mishap(call);
    if (mishap !== undefined) throw mishap.error;
    const newest = this.find(object.metadata.name)?.metadata.resourceVersion;
    if (resourceVersion !== undefined && resourceVersion !== newest)
      throw refused(409, 'Conflict', 'has been modified');
    this.writes.push(`apply ${resource.kind} /${object.metadata.name}`);
    options.signal?.throwIfAborted();
    return this.cluster.put(resource, merged);
  }
}
