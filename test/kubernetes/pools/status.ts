import { ENVOY_GATEWAY_CONTROLLER } from '../../../lib/translate/cluster/names';
import { CONTROLLER_NAME } from '../../../runtime/inference-pools/status/merge-parents';
import { FIELD_MANAGER } from '../../../runtime/inference-pools/status/write-parents';
import { isApiError } from '../../../runtime/kubernetes/api-error';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { takeCluster } from '../../e2e/support/kubernetes/shared-cluster';
import { connect } from '../support/api-client';
import type { Cluster } from '../support/cluster';

/* The status of an InferencePool that two Gateways of Envoy Gateway lead to, by the rights of the shipped roles. */

const GATEWAY_API = 'gateway.networking.k8s.io/v1';
const POOL = '/apis/inference.networking.k8s.io/v1/namespaces/team/inferencepools/llama';
const ROUTES = `/apis/${GATEWAY_API}/namespaces/team/httproutes`;
const POOLS = resourceOf('inference.networking.k8s.io/v1', 'InferencePool');

interface Entry {
  readonly parentRef: {
    readonly group: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  readonly controllerName: string;
  readonly conditions: ReadonlyArray<{
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration?: number;
  }>;
}

interface Pool {
  readonly metadata: { readonly generation: number; readonly resourceVersion: string };
  readonly status?: { readonly parents?: readonly Entry[] };
}

let cluster: Cluster;

beforeAll(async () => {
  cluster = await takeCluster();
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    {
      apiVersion: GATEWAY_API,
      kind: 'GatewayClass',
      metadata: { name: 'plain' },
      spec: { controllerName: ENVOY_GATEWAY_CONTROLLER },
    },
    gateway('primary'),
    gateway('secondary'),
    {
      apiVersion: 'inference.networking.k8s.io/v1',
      kind: 'InferencePool',
      metadata: { name: 'llama', namespace: 'team' },
      spec: {
        selector: { matchLabels: { app: 'llama' } },
        targetPorts: [{ number: 8000 }],
        endpointPickerRef: { name: 'epp', port: { number: 9002 } },
      },
    },
  ]);
}, 300_000);

const gateway = (name: string) => ({
  apiVersion: GATEWAY_API,
  kind: 'Gateway',
  metadata: { name, namespace: 'team' },
  spec: {
    gatewayClassName: 'plain',
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP', hostname: '*.example.com' }],
  },
});

const route = (name: string, parent: string, hostname = `${name}.example.com`) => ({
  apiVersion: GATEWAY_API,
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'team' },
  spec: {
    parentRefs: [{ name: parent }],
    hostnames: [hostname],
    rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' }] }],
  },
});

const foreign = (index: number): Entry => ({
  parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'primary' },
  controllerName: `example.com/controller-${index}`,
  conditions: [
    {
      ...{ type: 'Accepted', status: 'False', reason: 'Other', message: 'not ours', observedGeneration: 1 },
      ...{ lastTransitionTime: '2026-01-01T00:00:00Z' },
    },
  ],
});

const parents = async () => (await cluster.client.get<Pool>(POOL)).status?.parents ?? [];

/** `gateway Accepted/reason ResolvedRefs/reason`; of others the name of the controller. */
function told(entries: readonly Entry[]): string[] {
  return entries.map(({ parentRef, controllerName, conditions }) => {
    if (controllerName !== CONTROLLER_NAME) return controllerName;
    return [parentRef.name, ...conditions.map(({ status, reason }) => `${status}/${reason}`)].join(' ');
  });
}

async function untilTold(...expected: readonly string[]): Promise<void> {
  await cluster.until(
    expected.join(', '),
    async () => {
      const now = told(await parents());
      if (JSON.stringify([...now].sort()) !== JSON.stringify([...expected].sort())) throw new Error(now.join(', '));
      return true;
    },
    { timeout: 60_000, every: 20 },
  );
}

async function untilHolds(holds: (list: readonly string[]) => boolean): Promise<void> {
  await cluster.until('the route', async () => holds(told(await parents())), { every: 20 });
}

/** Adds an entry as a controller does that others write beside: of the version that it has read. */
async function addForeign(index: number): Promise<void> {
  await cluster.until(`entry ${index}`, async () => {
    const pool = await cluster.client.get<Pool>(POOL);
    const entries = [...(pool.status?.parents ?? []), foreign(index)];
    await cluster.client.replace(`${POOL}/status`, { ...pool, status: { parents: entries } });
    return true;
  });
}

async function setForeign(wanted: readonly object[]): Promise<void> {
  await cluster.until('the entries of others', async () => {
    const pool = await cluster.client.get<Pool>(POOL);
    const ours = (pool.status?.parents ?? []).filter(({ controllerName }) => controllerName === CONTROLLER_NAME);
    await cluster.client.replace(`${POOL}/status`, { ...pool, status: { parents: [...wanted, ...ours] } });
    return true;
  });
}

const UNRESOLVED = 'True/Accepted False/InvalidExtensionRef';
const GOOD = 'True/Accepted True/ResolvedRefs';

test('each Gateway that accepts a route to the pool is a parent', async () => {
  await cluster.apply([route('chat', 'primary'), route('batch', 'secondary')]);

  await untilTold(`primary ${UNRESOLVED}`, `secondary ${UNRESOLVED}`);
  const { metadata } = await cluster.client.get<Pool>(POOL);
  for (const { parentRef, conditions } of await parents()) {
    expect(parentRef).toMatchObject({ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'team' });
    for (const { observedGeneration } of conditions) expect(observedGeneration).toBe(metadata.generation);
    expect(conditions[1]?.message).toContain('there is no Service epp in namespace team');
  }
});

test('a picker that comes later is found, and a port that it lacks is told', async () => {
  const service = (port: number) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'epp', namespace: 'team' },
    spec: { selector: { app: 'epp' }, ports: [{ name: 'grpc', port }] },
  });
  await cluster.apply(service(9003));
  await cluster.until('the port', async () => (await parents())[0]?.conditions[1]?.message.includes('it has 9003'));

  const from = performance.now();
  await cluster.client.merge('/api/v1/namespaces/team/services/epp', service(9002));
  await untilTold(`primary ${GOOD}`, `secondary ${GOOD}`);
  console.log(`from the Service to the status: ${(performance.now() - from).toFixed(0)} ms`);
});

test('a route that Envoy Gateway refuses is told, with its reason', async () => {
  await cluster.apply(route('batch', 'secondary', 'other.example.org'));

  await untilTold(`primary ${GOOD}`, 'secondary False/HTTPRouteNotAccepted True/ResolvedRefs');
  const refused = (await parents()).find(({ parentRef }) => parentRef.name === 'secondary');
  expect(refused?.conditions[0]?.message).toMatch(/does not accept HTTPRoute team\/batch \(.+\): correct the route/);

  await cluster.apply(route('batch', 'secondary'));
  await untilTold(`primary ${GOOD}`, `secondary ${GOOD}`);
});

test('an older version of the list is refused, so that no entry of others is lost', async () => {
  const api = connect(cluster.access);
  const read = (await api.get(POOLS, 'llama', 'team'))!;
  await addForeign(0);
  const { name, namespace, uid, resourceVersion } = read.metadata;
  const stale = { ...read, metadata: { name, namespace, uid, resourceVersion }, status: { parents: [] } };
  const { spec: _, ...status } = stale as typeof read;
  const options = { fieldManager: FIELD_MANAGER, force: true, subresource: 'status' } as const;

  const error: unknown = await api.apply(POOLS, status, options).catch((reason: unknown) => reason);
  await api.close();

  expect(isApiError(error, 409)).toBe(true);
  await untilTold(`primary ${GOOD}`, `secondary ${GOOD}`, 'example.com/controller-0');
});

test('entries that others add while routes come and go all survive, as they were written', async () => {
  const others = [1, 2, 3, 4, 5, 6];
  const stop = new AbortController();
  const flapping = (async () => {
    while (!stop.signal.aborted) {
      await cluster.client.delete(`${ROUTES}/batch`);
      await untilHolds((list) => !list.some((line) => line.startsWith('secondary')));
      await cluster.apply(route('batch', 'secondary'));
      await untilHolds((list) => list.includes(`secondary ${GOOD}`));
    }
  })();
  await Promise.all(others.map(addForeign));
  stop.abort();
  await flapping;

  const entries = await parents();
  const theirs = entries.filter(({ controllerName }) => controllerName !== CONTROLLER_NAME);
  expect(theirs.map(({ controllerName }) => controllerName).sort()).toEqual(
    [0, ...others].map((index) => foreign(index).controllerName),
  );
  for (const entry of theirs) {
    const index = Number(entry.controllerName.split('-').at(-1));
    expect(entry).toMatchObject(foreign(index));
  }
}, 120_000);

test('where others leave no room nothing of theirs is given up, and ours comes back when there is', async () => {
  const all = Array.from({ length: 30 }, (_, index) => foreign(index));
  await setForeign(all);
  await untilTold(`primary ${GOOD}`, `secondary ${GOOD}`, ...all.map(({ controllerName }) => controllerName));

  await cluster.client.delete(`${ROUTES}/batch`);
  await untilTold(`primary ${GOOD}`, ...all.map(({ controllerName }) => controllerName));
  await addForeign(30);
  await cluster.apply(route('batch', 'secondary'));
  const full = [...all, foreign(30)].map(({ controllerName }) => controllerName);
  await untilTold(`primary ${GOOD}`, ...full);
  await cluster.until('it is logged', async () => {
    const lines = await cluster.kubectl([
      ...['-n', 'inference-gateway', 'logs', '-l', 'app.kubernetes.io/component=controller', '--tail=-1'],
    ]);
    return lines.includes('status.parents is full and does not tell of Gateway team/secondary');
  });

  await setForeign([foreign(0)]);
  await untilTold('example.com/controller-0', `primary ${GOOD}`, `secondary ${GOOD}`);
});

test('an entry goes with the last route, a Gateway at a time', async () => {
  await cluster.client.delete(`${ROUTES}/chat`);
  await untilTold('example.com/controller-0', `secondary ${GOOD}`);

  await cluster.client.delete(`/apis/${GATEWAY_API}/namespaces/team/gateways/secondary`);
  await untilTold('example.com/controller-0');
  expect(await parents()).toEqual([foreign(0)]);

  await setForeign([]);
  await cluster.client.delete(`${ROUTES}/batch`);
  await untilTold();
  expect((await cluster.client.get<Pool>(POOL)).status?.parents).toEqual([]);
});

test('the controller may write the status of pools, and only read what it follows from', async () => {
  const account = 'system:serviceaccount:inference-gateway:hyperpod-inference-gateway-controller';
  const can = async (...words: readonly string[]) => {
    const flags = ['auth', 'can-i', ...words, `--as=${account}`, '-n', 'team'];
    return (await cluster.kubectl(flags).catch((error: unknown) => String(error))).trim().startsWith('yes');
  };

  expect(await can('patch', 'inferencepools.inference.networking.k8s.io', '--subresource=status')).toBe(true);
  for (const kind of ['gateways', 'referencegrants', 'listenersets', 'gatewayclasses']) {
    expect(await can('list', `${kind}.gateway.networking.k8s.io`)).toBe(true);
    expect(await can('patch', `${kind}.gateway.networking.k8s.io`)).toBe(false);
  }
});
