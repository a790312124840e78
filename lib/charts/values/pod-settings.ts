import { z } from 'zod';
import { envSchema, podDefaultsSchema } from '../../api/inference-gateway-config/pod-defaults';

const pod = podDefaultsSchema.shape;
const textMap = z.record(z.string(), z.string());

export interface PodSettingDefaults {
  readonly replicas: number;
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
}

/** What may be set of the pods of a Deployment. */
export function podSettings({ replicas, resources }: PodSettingDefaults) {
  return {
    replicas: z.int32().min(0).default(replicas).meta({ description: 'Number of pods.' }),
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error'])
      .default('info')
      .meta({ description: 'How much it logs.', typeName: 'InstallLogLevel' }),
    resources: pod.resources
      .unwrap()
      .default({ ...resources })
      .meta({
        description: 'Requests and limits of the container (core/v1 ResourceRequirements).',
      }),
    nodeSelector: textMap.default({}).meta({ description: 'Labels that a node must have.' }),
    tolerations: pod.tolerations
      .unwrap()
      .default([])
      .meta({ description: 'Taints that the pods tolerate (core/v1 Toleration).' }),
    affinity: pod.affinity.unwrap().default({}).meta({
      description:
        'Where the pods prefer to run (core/v1 Affinity), beside the spread over nodes and zones that they always ask for.',
    }),
    priorityClassName: z.string().default('').meta({ description: 'PriorityClass of the pods. Empty: none.' }),
    podLabels: textMap.default({}).meta({ description: 'Labels added to the pods.' }),
    podAnnotations: textMap.default({}).meta({ description: 'Annotations added to the pods.' }),
    env: envSchema.default([]).meta({ description: 'Environment variables added to the container (core/v1 EnvVar).' }),
  };
}
