import { property } from '../../../api/validation/loose';
import { memoryLimit } from '../memory-limit';

/** What a router may need: bodies wait in it, up to 2 GiB of them. A limit of CPU would only make it slower. */
export const ROUTER_RESOURCES = {
  requests: { cpu: '500m', memory: '512Mi' },
  limits: { memory: '4Gi' },
} as const;

/** Bodies of other gateways wait in a picker too. */
export const PICKER_RESOURCES = {
  requests: { cpu: '250m', memory: '256Mi' },
  limits: { memory: '3Gi' },
} as const;

export const COLLECTOR_RESOURCES = {
  requests: { cpu: '20m', memory: '64Mi' },
  limits: { memory: '256Mi' },
} as const;

interface Resources {
  readonly requests: { readonly memory: string };
  readonly limits: { readonly memory: string };
}

/** Those that a config gives; it bounds memory in any case, so that one that grows is started anew before its node suffers. */
export function containerResources(given: object | undefined, usual: Resources): object {
  if (given === undefined) return usual;
  const [requests, limits] = [property(given, 'requests'), property(given, 'limits')];
  if (property(limits, 'memory') !== undefined) return given;
  const memory = memoryLimit(usual.limits.memory, property(requests, 'memory'));
  return {
    ...given,
    // Without one of its own it would ask for all that it may have.
    requests: { memory: usual.requests.memory, ...(requests as object | undefined) },
    limits: { ...(limits as object | undefined), memory },
  };
}
