import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';

export function schedulerOf(name: string, more: object = {}) {
  return { name, modelName: `models/${name}`, modelSelector: { matchLabels: { model: name } }, ...more };
}

/** An InferenceGatewayConfig that needs nothing that the test cluster lacks. */
export function gatewayConfig(
  schedulers: readonly object[] = [schedulerOf('llama')],
  metadata: Partial<KubernetesObject['metadata']> = {},
): KubernetesObject & { readonly spec: object } {
  return {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'gw', namespace: 'team', ...metadata },
    spec: { bbr: { enabled: true }, tls: {}, endpoint: { type: 'clusterIP' }, schedulers },
  };
}

export function modelPod(name: string, model: string, ip: string, ready = true) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'team', labels: { model } },
    spec: { nodeName: 'node-1' },
    status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}
