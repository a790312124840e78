import type { V1Container, V1EnvVar, V1Pod, V1Service } from '@kubernetes/client-node';
import { fieldValue, resourceValue } from './downward';
import { expand } from './expand';
import { dataOf, type Lookup, NotYet } from './lookup';

export interface EnvironmentSource {
  readonly pod: V1Pod;
  readonly addresses: { readonly podIp: string; readonly hostIp: string };
  readonly lookup: Lookup;
  /** All of the cluster. */
  readonly services: readonly V1Service[];
  /** Of the image. */
  readonly imageEnvironment: Readonly<Record<string, string>>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The variables of a container. Throws NotYet where a Secret or ConfigMap is missing. */
export function environmentOf(container: V1Container, source: EnvironmentSource): Map<string, string> {
  const { pod, lookup } = source;
  const namespace = pod.metadata!.namespace!;
  const variables = new Map<string, string>([
    ['PATH', PATH],
    ['HOSTNAME', pod.spec?.hostname ?? pod.metadata!.name!],
    ...Object.entries(source.imageEnvironment),
    ...serviceVariables(pod, source.services),
  ]);
  for (const { prefix = '', secretRef, configMapRef } of container.envFrom ?? []) {
    const reference = secretRef ?? configMapRef;
    if (reference?.name === undefined) continue;
    const kind = secretRef === undefined ? 'configMap' : 'secret';
    const data = dataOf(lookup, { kind, namespace, name: reference.name, optional: reference.optional ?? false });
    for (const [key, value] of data) variables.set(prefix + key, value.toString());
  }
  for (const variable of container.env ?? []) {
    const value = variableValue(variable, container.name, variables, source);
    if (value !== undefined) variables.set(variable.name, value);
  }
  return variables;
}

function variableValue(
  { value, valueFrom }: V1EnvVar,
  containerName: string,
  variables: ReadonlyMap<string, string>,
  { pod, addresses, lookup }: EnvironmentSource,
): string | undefined {
  if (valueFrom?.fieldRef !== undefined) return fieldValue(pod, valueFrom.fieldRef.fieldPath, addresses);
  if (valueFrom?.resourceFieldRef !== undefined) return resourceValue(pod, containerName, valueFrom.resourceFieldRef);
  const selector = valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef;
  if (selector === undefined) return expand(value ?? '', variables);

  const kind = valueFrom?.secretKeyRef === undefined ? 'configMap' : 'secret';
  const optional = selector.optional ?? false;
  const name = selector.name ?? '';
  const found = dataOf(lookup, { kind, namespace: pod.metadata!.namespace!, name, optional }).get(selector.key);
  if (found === undefined && !optional) throw new NotYet(`${kind} "${name}" has no key "${selector.key}"`);
  return found?.toString();
}

/** What the API server is called, and with service links the Services of the pod's namespace. */
function serviceVariables(pod: V1Pod, services: readonly V1Service[]): readonly (readonly [string, string])[] {
  return services
    .filter(({ metadata, spec }) => {
      if (spec?.clusterIP === undefined || spec.clusterIP === 'None' || spec.clusterIP === '') return false;
      if (metadata?.namespace === 'default' && metadata.name === 'kubernetes') return true;
      return pod.spec?.enableServiceLinks !== false && metadata?.namespace === pod.metadata?.namespace;
    })
    .flatMap(({ metadata, spec }) => {
      const name = metadata!.name!.toUpperCase().replaceAll('-', '_');
      const [first] = spec!.ports ?? [];
      return [
        [`${name}_SERVICE_HOST`, spec!.clusterIP!] as const,
        ...(first === undefined
          ? []
          : [
              [`${name}_SERVICE_PORT`, String(first.port)] as const,
              [`${name}_PORT`, `tcp://${spec!.clusterIP}:${first.port}`] as const,
            ]),
      ];
    });
}
