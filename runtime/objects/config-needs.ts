import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { selectorQuery } from './selector-query';

/** How a scheduler refers to the ConfigMap that says how it picks. */
export interface PickerReference {
  /** Of `spec.schedulers`. */
  readonly index: number;
  readonly scheduler: string;
  /** How the file is read. */
  readonly type: 'llm-d' | 'epp';
  readonly name: string;
  readonly key: string;
}

/** What a config refers to, beside the objects that every config of its namespace has. */
export interface ConfigNeeds {
  /** Label selectors of pods, as queries; each once. */
  readonly podSelectors: readonly string[];
  readonly references: readonly PickerReference[];
}

/** `own`: which schedulers count, by name. `pods`: whether their pods are needed. */
export function needsOf(
  { spec: { schedulers } }: InferenceGatewayConfig,
  own: (scheduler: string) => boolean,
  pods: boolean,
): ConfigNeeds {
  const selectors = pods ? schedulers.filter(({ name }) => own(name)) : [];
  return {
    podSelectors: [...new Set(selectors.map(({ modelSelector }) => selectorQuery(modelSelector)))],
    references: schedulers.flatMap(({ name: scheduler, scheduler: type, configMapRef }, index) =>
      configMapRef !== undefined && own(scheduler) ? [{ index, scheduler, type, ...configMapRef }] : [],
    ),
  };
}
