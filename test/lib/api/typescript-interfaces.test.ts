import * as generated from '../../../lib/api/generated/inference-gateway-config';
import type { SchemaNode } from '../../../lib/api/schema/schema-node';
import { typescriptInterfaces } from '../../../lib/api/typescript-interfaces';
import { accepted, gatewayConfig } from './support/manifests';

const node: SchemaNode = {
  type: 'object',
  typeName: 'Outer',
  required: ['mode'],
  properties: {
    mode: { type: 'string', enum: ['llm-d', 'NotIn'], typeName: 'Mode', description: 'How.' },
    size: { type: 'integer', default: 2, description: 'How big.', extension: true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    open: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: {} } },
  },
};

test('objects become read-only interfaces, enumerations become enums, passed-through types become maps', () => {
  expect(
    typescriptInterfaces(node),
  ).toBe(`// Generated from the schemas in lib/api by \`npm run generate\`. Do not edit.

/** \`spec\`. */
export interface Outer {
  /** How. */
  readonly mode: Mode;
  /**
   * How big.
   * An extension of the published contract.
   * @default 2
   */
  readonly size?: number;
  /** @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** @default - none */
  readonly open?: readonly { readonly [key: string]: any }[];
}

/** Values of \`spec.mode\`. */
export enum Mode {
  /** \`llm-d\` */
  LLM_D = 'llm-d',
  /** \`NotIn\` */
  NOT_IN = 'NotIn',
}
`);
});

test('what the generated types let a user write is valid', () => {
  const spec: generated.InferenceGatewayConfigSpec = {
    bbr: { enabled: true },
    observability: { explain: { enabled: true } },
    schedulers: [
      {
        name: 'llama',
        modelName: 'llama-8b',
        modelSelector: { matchExpressions: [{ key: 'app', operator: generated.LabelSelectorOperator.EXISTS }] },
        appProtocol: generated.AppProtocol.KUBERNETES_IO_H2C,
        scheduler: generated.SchedulerType.EPP,
        engineType: generated.EngineType.TRTLLM,
        profile: generated.SchedulerProfile.LATENCY,
      },
    ],
  };
  expect(accepted(gatewayConfig({ ...spec })).spec).toMatchObject(spec);
});
