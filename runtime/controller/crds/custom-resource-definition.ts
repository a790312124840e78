import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { resourceOf } from '../../kubernetes/resources';

/** What is read of an apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly versions: readonly CustomResourceVersion[];
  };
  readonly status?: {
    /** Versions that objects may have been stored in. */
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly CrdCondition[];
  };
}

interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: unknown };
}

interface CrdCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export const CUSTOM_RESOURCE_DEFINITIONS = resourceOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
