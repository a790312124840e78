import { type GatewayState, schedulerName } from '../../lib/translate/gateway-state';
import type { ConfiguredNames } from './named-series';

export function configuredNames({ schedulers, rewrites }: GatewayState): ConfiguredNames {
  return {
    pools: new Set(schedulers.map(schedulerName)),
    models: new Set([
      ...schedulers.flatMap(({ modelName = '', adapters }) => [modelName, ...adapters]),
      ...rewrites.flatMap(({ name, models, targets }) => [name, ...models, ...targets.map(({ model }) => model)]),
    ]),
  };
}
