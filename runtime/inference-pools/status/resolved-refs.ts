import { items, property, propertyAt, textOf } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { Judgement } from './judgement';
import type { PoolFacts } from './pool-facts';

/** A message has no more of them. */
const MOST_PORTS = 10;

/** The condition `ResolvedRefs` of a pool: whether the endpoint picker that it names is there. */
export function resolvedRefs({ spec, metadata }: KubernetesObject, facts: Pick<PoolFacts, 'service'>): Judgement {
  const reference = propertyAt(spec, 'endpointPickerRef');
  if (reference === undefined || reference === null) {
    return resolved('the pool names no endpoint picker: requests are balanced over its pods without one');
  }
  const [group, kind] = [textOf(property(reference, 'group')) ?? '', textOf(property(reference, 'kind')) ?? 'Service'];
  if (group !== '' || kind !== 'Service') {
    const said = group === '' ? kind : `${kind}.${group}`;
    return invalid(`spec.endpointPickerRef: ${said} cannot be an endpoint picker; name a Service (group "")`);
  }
  const { namespace = '' } = metadata;
  const name = textOf(property(reference, 'name')) ?? '';
  const service = facts.service(name, namespace);
  if (service === undefined) {
    return invalid(
      `spec.endpointPickerRef.name: there is no Service ${name} in namespace ${namespace}; make it, or correct the name`,
    );
  }
  if (propertyAt(service.spec, 'type') === 'ExternalName') {
    return invalid(
      `spec.endpointPickerRef.name: Service ${name} is of type ExternalName, behind which no picker is asked; name one that has pods`,
    );
  }
  return portOf(name, propertyAt(reference, 'port', 'number'), portsOf(service));
}

function portOf(service: string, port: unknown, ports: readonly unknown[]): Judgement {
  if (typeof port !== 'number') {
    return invalid(
      `spec.endpointPickerRef.port.number is missing: say which port of Service ${service} is the picker's`,
    );
  }
  if (ports.includes(port)) return resolved(`Service ${service} has port ${port}`);
  const has = ports.length === 0 ? 'has none' : `has ${ports.slice(0, MOST_PORTS).join(', ')}`;
  return invalid(
    `spec.endpointPickerRef.port.number: Service ${service} has no TCP port ${port} (it ${has}); name the port of the Service, not of its pods`,
  );
}

/** A picker is asked by gRPC, so over TCP. */
function portsOf(service: KubernetesObject): readonly unknown[] {
  return items(propertyAt(service.spec, 'ports'))
    .filter((port) => (property(port, 'protocol') ?? 'TCP') === 'TCP')
    .map((port) => property(port, 'port'));
}

function resolved(message: string): Judgement {
  return { status: 'True', reason: 'ResolvedRefs', message };
}

function invalid(message: string): Judgement {
  return { status: 'False', reason: 'InvalidExtensionRef', message };
}
