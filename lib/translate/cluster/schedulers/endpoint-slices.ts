import type { Pod } from '../../../api/pod';
import { items, propertyAt } from '../../../api/validation/loose';
import type { CheckedObject } from '../../check-objects';
import { servingPods } from '../../gateway-state/serving-pods';
import type { KubernetesObject } from '../kubernetes-object';
import { MANAGER, schedulerNames } from '../names';
import { type OwningConfig, ownedObjects } from '../owned-object';
import type { Installation } from '../types';
import { MODEL_PORT_NAME, type ModelPods } from './model-service';

const SERVICE_LABEL = 'kubernetes.io/service-name';
const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';

/** A change of one pod sends one slice again, to everybody who watches. */
const MOST_ENDPOINTS = 100;

/**
 * Stands for the pods where there are none: an address for documentation, never ready. With no address at all Envoy
 * Gateway would take the route apart, and the first pod would have to wait for it to be put together again.
 */
const NOBODY = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' } as const;

interface Endpoint {
  readonly addresses: readonly [string];
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean };
  readonly nodeName?: string;
  readonly targetRef?: Readonly<Record<string, string | undefined>>;
}

/**
 * The EndpointSlices of one scheduler: its pods by the whole of its selector, IPv4 and IPv6 apart, at most 100 in each.
 * `existing`: those that it has. A pod stays in the slice where it is, so that a change of one pod changes one slice.
 * `ipFamily`: addresses of the cluster's pods.
 */
export function endpointSlices(
  config: OwningConfig,
  scheduler: ModelPods,
  pods: ReadonlyArray<CheckedObject<Pod>>,
  existing: readonly KubernetesObject[],
  ipFamily: Installation['ipFamily'],
): readonly KubernetesObject[] {
  const endpoints = servingPods(scheduler, pods).serving.map(({ object }) => endpointOf(object));
  const of = (family: Family) => endpoints.filter(({ addresses: [address] }) => familyOf(address) === family);
  const placed = FAMILIES.flatMap((family) => placeEndpoints(config, scheduler, family, of(family), existing));
  if (placed.length > 0) return placed;
  const family = ipFamily === 'IPv6' ? 'IPv6' : 'IPv4';
  return [slice(config, scheduler, sliceName(scheduler, family, 0), family, [nobody(family)])];
}

const FAMILIES = ['IPv4', 'IPv6'] as const;
type Family = (typeof FAMILIES)[number];

function familyOf(address: string): Family {
  return address.includes(':') ? 'IPv6' : 'IPv4';
}

function endpointOf({ metadata, status, spec }: Pod): Endpoint {
  const serving = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const terminating = metadata.deletionTimestamp !== undefined;
  const nodeName = propertyAt(spec, 'nodeName');
  return {
    addresses: [status?.podIP ?? ''],
    conditions: { ready: serving && !terminating, serving, terminating },
    ...(typeof nodeName === 'string' && { nodeName }),
    targetRef: {
      kind: 'Pod',
      namespace: metadata.namespace,
      name: metadata.name,
      ...(metadata.uid !== undefined && { uid: metadata.uid }),
    },
  };
}

function nobody(family: Family): Endpoint {
  return { addresses: [NOBODY[family]], conditions: { ready: false, serving: false, terminating: false } };
}

function placeEndpoints(
  config: OwningConfig,
  scheduler: ModelPods,
  family: Family,
  endpoints: readonly Endpoint[],
  existing: readonly KubernetesObject[],
): KubernetesObject[] {
  const places = new Map<string, Endpoint[]>();
  const formerly = formerPlaces(existing.filter(({ addressType }) => addressType === family));
  const homeless: Endpoint[] = [];
  for (const endpoint of endpoints) {
    const name = formerly.get(endpoint.addresses[0]);
    if (name === undefined) homeless.push(endpoint);
    else places.set(name, [...(places.get(name) ?? []), endpoint]);
  }
  for (const endpoint of homeless) {
    const name = roomIn(places) ?? freeName(scheduler, family, places);
    places.set(name, [...(places.get(name) ?? []), endpoint]);
  }
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, members]) => slice(config, scheduler, name, family, members));
}

/** Slices by the addresses in them. */
function formerPlaces(slices: readonly KubernetesObject[]): ReadonlyMap<string, string> {
  return new Map(
    slices.flatMap(({ metadata, endpoints }) =>
      items(endpoints)
        .slice(0, MOST_ENDPOINTS)
        .map((endpoint) => [String(items(propertyAt(endpoint, 'addresses'))[0]), metadata.name] as const),
    ),
  );
}

function roomIn(places: ReadonlyMap<string, readonly Endpoint[]>): string | undefined {
  return [...places].find(([, members]) => members.length < MOST_ENDPOINTS)?.[0];
}

function freeName(scheduler: ModelPods, family: Family, places: ReadonlyMap<string, unknown>): string {
  let index = 0;
  while (places.has(sliceName(scheduler, family, index))) index += 1;
  return sliceName(scheduler, family, index);
}

function sliceName(scheduler: ModelPods, family: Family, index: number): string {
  return `${schedulerNames(scheduler).endpoints}-${family.toLowerCase()}-${index}`;
}

function slice(
  config: OwningConfig,
  scheduler: ModelPods,
  name: string,
  addressType: Family,
  endpoints: readonly Endpoint[],
): KubernetesObject {
  return ownedObjects(config)(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    {
      name,
      namespace: config.metadata.namespace,
      scheduler: scheduler.name,
      labels: { [SERVICE_LABEL]: schedulerNames(scheduler).endpoints, [MANAGED_BY_LABEL]: MANAGER },
    },
    {
      addressType,
      endpoints,
      ports: [
        {
          name: MODEL_PORT_NAME,
          port: scheduler.targetPort,
          protocol: 'TCP',
          appProtocol: scheduler.appProtocol,
        },
      ],
    },
  );
}
