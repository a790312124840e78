import type { z } from 'zod';
import { CONFIG_MAP_RULES, type ConfigMap, configMapSchema } from './config-map';
import {
  type InferenceGatewayConfig,
  inferenceGatewayConfigSchema,
} from './inference-gateway-config/inference-gateway-config';
import { INFERENCE_GATEWAY_CONFIG_RULES } from './inference-gateway-config/rules';
import {
  INFERENCE_MODEL_REWRITE_RULES,
  type InferenceModelRewrite,
  inferenceModelRewriteSchema,
} from './inference-model-rewrite';
import { type InferenceObjective, inferenceObjectiveSchema } from './inference-objective';
import { type Pod, podSchema } from './pod';
import { type SchemaNode, schemaNode } from './schema/schema-node';
import type { Rule } from './validation/rule';

/** An object of a kind that the gateway reads; `kind` tells which. */
export type GatewayObject = InferenceGatewayConfig | InferenceModelRewrite | InferenceObjective | Pod | ConfigMap;

export interface Kind {
  readonly kind: GatewayObject['kind'];
  readonly apiVersions: readonly string[];
  /** Objects of this kind in other API versions are somebody else's and no mistake. */
  readonly core: boolean;
  readonly schema: z.ZodType;
  /** The same schema as plain data. */
  readonly node: SchemaNode;
  readonly rules: readonly Rule[];
}

export const KINDS: readonly Kind[] = [
  {
    kind: 'InferenceGatewayConfig',
    apiVersions: ['inference.sagemaker.aws.amazon.com/v1alpha1'],
    core: false,
    schema: inferenceGatewayConfigSchema,
    node: schemaNode(inferenceGatewayConfigSchema),
    rules: INFERENCE_GATEWAY_CONFIG_RULES,
  },
  {
    kind: 'InferenceModelRewrite',
    apiVersions: ['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2'],
    core: false,
    schema: inferenceModelRewriteSchema,
    node: schemaNode(inferenceModelRewriteSchema),
    rules: INFERENCE_MODEL_REWRITE_RULES,
  },
  {
    kind: 'InferenceObjective',
    apiVersions: ['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2'],
    core: false,
    schema: inferenceObjectiveSchema,
    node: schemaNode(inferenceObjectiveSchema),
    rules: [],
  },
  { kind: 'Pod', apiVersions: ['v1'], core: true, schema: podSchema, node: schemaNode(podSchema), rules: [] },
  {
    kind: 'ConfigMap',
    apiVersions: ['v1'],
    core: true,
    schema: configMapSchema,
    node: schemaNode(configMapSchema),
    rules: CONFIG_MAP_RULES,
  },
];
