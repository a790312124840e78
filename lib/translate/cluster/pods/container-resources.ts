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
