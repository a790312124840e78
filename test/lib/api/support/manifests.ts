import type { Fault } from '../../../../lib/api/validation/fault';
import { formatPath } from '../../../../lib/api/validation/fault';
import { validateObject } from '../../../../lib/api/validation/validate-object';

export type Json = Record<string, unknown>;

/** The smallest scheduler; `fields` are added or replaced. */
export function scheduler(fields: Json = {}): Json {
  return { name: 'llama', modelName: 'llama-8b', modelSelector: { matchLabels: { app: 'llama' } }, ...fields };
}

/** The smallest InferenceGatewayConfig; `spec` fields are added or replaced. */
export function gatewayConfig(spec: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'gateway', ...metadata },
    spec: { bbr: { enabled: true }, schedulers: [scheduler()], ...spec },
  };
}

/** A scheduler of a config that has no other. */
export function configWithScheduler(fields: Json): Json {
  return gatewayConfig({ schedulers: [scheduler(fields)] });
}

export function modelRewrite(spec: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceModelRewrite',
    metadata: { name: 'canary', ...metadata },
    spec: {
      poolRef: { name: 'llama' },
      rules: [{ matches: [{ model: { value: 'llama-8b' } }], targets: [{ modelRewrite: 'llama-8b-v2' }] }],
      ...spec,
    },
  };
}

export function inferenceObjective(spec: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceObjective',
    metadata: { name: 'urgent', ...metadata },
    spec: { priority: 10, poolRef: { name: 'llama' }, ...spec },
  };
}

/** The valid object; fails the test with the faults when there are any. */
export function accepted(value: unknown): Json {
  const result = validateObject(value);
  if ('object' in result) return result.object as unknown as Json;
  throw new Error('faults' in result ? lines(result.faults).join('\n') : 'ignored');
}

/** `path: message` of each fault; empty for a valid object. */
export function refusals(value: unknown): string[] {
  const result = validateObject(value);
  return 'faults' in result ? lines(result.faults) : [];
}

function lines(faults: readonly Fault[]): string[] {
  return faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}
