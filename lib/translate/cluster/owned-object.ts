import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import type { KubernetesObject } from './kubernetes-object';
import { gatewayLabels, SCHEDULER_LABEL } from './names';

interface Place {
  readonly name: string;
  readonly namespace: string;
  /** Of the scheduler that it is made for. */
  readonly scheduler?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is said of the config on its objects. */
export type OwningConfig = Pick<InferenceGatewayConfig, 'apiVersion' | 'kind' | 'metadata'>;

/**
 * Makes the objects of one gateway: each has the labels by which it is found again, and those of the gateway's own
 * namespace go with the InferenceGatewayConfig. An owner in another namespace is none to Kubernetes: those are
 * removed by the finalizer.
 */
export function ownedObjects(config: OwningConfig) {
  const { metadata, apiVersion, kind } = config;
  return (api: string, objectKind: string, place: Place, fields: Fields): KubernetesObject => ({
    apiVersion: api,
    kind: objectKind,
    metadata: {
      name: place.name,
      namespace: place.namespace,
      labels: {
        ...place.labels,
        ...gatewayLabels(config),
        ...(place.scheduler !== undefined && { [SCHEDULER_LABEL]: place.scheduler }),
      },
      ...(place.annotations && { annotations: place.annotations }),
      ...(place.namespace === metadata.namespace &&
        metadata.uid !== undefined && {
          ownerReferences: [
            { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true },
          ],
        }),
    },
    ...fields,
  });
}

export type MakeObject = ReturnType<typeof ownedObjects>;
