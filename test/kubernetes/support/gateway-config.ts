import type { Cluster } from './cluster';

interface Config {
  readonly metadata: { readonly generation: number; readonly finalizers?: readonly string[] };
  readonly spec: { readonly schedulers: ReadonlyArray<{ readonly name: string }> };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: ReadonlyArray<{
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }>;
    readonly schedulers?: ReadonlyArray<{
      readonly name: string;
      readonly rolloutState: string;
      readonly currentScheduler?: string;
    }>;
  };
}

/** One InferenceGatewayConfig, as the API server has it. */
export function gatewayConfig(cluster: Cluster, namespace: string, name: string) {
  const path = `/apis/inference.sagemaker.aws.amazon.com/v1alpha1/namespaces/${namespace}/inferencegatewayconfigs/${name}`;
  const read = () => cluster.client.get<Config>(path);
  return {
    path,
    read,
    condition: async (type: string) => (await read()).status?.conditions?.find((one) => one.type === type),
    /** How far the last change of a scheduler's pickers has come. */
    rollout: async (scheduler: string) =>
      (await read()).status?.schedulers?.find((one) => one.name === scheduler)?.rolloutState,
    /** The controller has seen the present spec. */
    isObserved: async () => {
      const { metadata, status } = await read();
      return status?.observedGeneration === metadata.generation;
    },
    /** Resolves once the controller has seen the present spec, and says so of the condition. */
    untilCondition: (type: string, status: 'True' | 'False', timeout = 120_000) =>
      cluster.until(
        `${type}=${status} of ${namespace}/${name}`,
        async () => {
          const { metadata, status: seen } = await read();
          const condition = seen?.conditions?.find((one) => one.type === type);
          if (seen?.observedGeneration === metadata.generation && condition?.status === status) return condition;
          throw new Error(JSON.stringify(seen?.conditions));
        },
        { timeout, every: 250 },
      ),
  };
}
