import { stringify } from 'yaml';
import { inferenceGatewayConfigCrd } from './crd/inference-gateway-config-crd';
import { inferenceGatewayConfigSchema } from './inference-gateway-config/inference-gateway-config';
import { INFERENCE_GATEWAY_CONFIG_RULES } from './inference-gateway-config/rules';
import { SCHEDULER_PROFILES, schedulerWeights } from './inference-gateway-config/scorer-weights';
import { referencePage } from './reference-page';
import { schemaNode } from './schema/schema-node';
import { typescriptInterfaces } from './typescript-interfaces';

export interface GeneratedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/** Every file that is derived from the schemas. */
export function generatedFiles(): GeneratedFile[] {
  const spec = schemaNode(inferenceGatewayConfigSchema.shape.spec);
  const crd = inferenceGatewayConfigCrd();
  return [
    { path: 'lib/api/generated/inference-gateway-config.ts', content: typescriptInterfaces(spec) },
    {
      path: 'docs/reference/inference-gateway-config.md',
      content: referencePage({
        kind: 'InferenceGatewayConfig',
        apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
        introduction:
          'Short name `igwc`, namespaced. Unknown fields are refused. Fields and values marked as extension are ours; all others are those of the SageMaker HyperPod Inference Gateway, whose manifests are accepted unchanged.',
        spec,
        rules: INFERENCE_GATEWAY_CONFIG_RULES,
        profiles: { '(none)': schedulerWeights({}), ...SCHEDULER_PROFILES },
      }),
    },
    {
      path: 'config/crd/inference.sagemaker.aws.amazon.com_inferencegatewayconfigs.yaml',
      content: `# Generated from the schemas in lib/api by \`npm run generate\`. Do not edit.\n${stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 })}`,
    },
  ];
}
