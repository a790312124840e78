import type { GatewayState } from '../../lib/translate/gateway-state';

/**
 * Gives a model's name back where the configuration knows it as one that serves, and `other` where it does not: only
 * names of the configuration may be shown in logs, metrics and traces.
 */
export function createModelNames(state: () => GatewayState): (model: string) => string {
  let of: GatewayState | undefined;
  let names = new Set<string>();
  return (model) => {
    const present = state();
    if (of !== present) {
      of = present;
      names = servingNames(present);
    }
    return names.has(model) ? model : 'other';
  };
}

function servingNames({ schedulers, rewrites }: GatewayState): Set<string> {
  return new Set([
    ...schedulers.flatMap(({ modelName, adapters }) => (modelName === undefined ? adapters : [modelName, ...adapters])),
    ...rewrites.flatMap(({ targets }) => targets.map(({ model }) => model)),
  ]);
}
