import type { ServicePort } from './backend-pool';

/** An object that has endpoints, as Envoys ask for them. */
export type EndpointsOf =
  | { readonly kind: 'pool'; readonly namespace: string; readonly name: string }
  | ({ readonly kind: 'picker'; readonly namespace: string } & ServicePort);

/** What Envoys ask for when they want the endpoints of a pool: no part of a Kubernetes name has a slash. */
export function poolResource({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `inference-pool/${namespace}/${name}`;
}

/** Likewise of a picker's Service. */
export function pickerResource(namespace: string, { name, port }: ServicePort): string {
  return `endpoint-picker/${namespace}/${name}/${port}`;
}

/** Undefined for a name that neither function makes. */
export function parseResource(resource: string): EndpointsOf | undefined {
  const [kind, namespace, name, port, ...rest] = resource.split('/');
  if (!namespace || !name || rest.length > 0) return undefined;
  if (kind === 'inference-pool' && port === undefined) return { kind: 'pool', namespace, name };
  const isPort = port !== undefined && /^[1-9]\d{0,4}$/.test(port);
  return kind === 'endpoint-picker' && isPort ? { kind: 'picker', namespace, name, port: Number(port) } : undefined;
}
