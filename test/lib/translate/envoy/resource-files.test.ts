import { BOOTSTRAP_FILE, type EnvoyState, envoyResourceFiles, union } from '../../../../lib/translate/envoy';
import { EARLY_REMOVED_HEADERS, IDENTITY_HEADERS } from '../../../../lib/translate/envoy/control-headers';
import { ENVOY_OPTIONS, endpoint, schedulerState } from '../builders';

const ONE: EnvoyState = { maxRequestBodyBytes: 1_000, schedulers: [schedulerState('s1', [endpoint('10.0.0.1:80')])] };
const TWO: EnvoyState = {
  maxRequestBodyBytes: 2_000,
  schedulers: [...ONE.schedulers, schedulerState('s2', [endpoint('[fd00::1]:80', { ready: false })])],
};

const files = (state: EnvoyState, options = ENVOY_OPTIONS) =>
  new Map(envoyResourceFiles(state, options).map((file) => [file.path, file]));
const resources = (state: EnvoyState, path: string) => JSON.parse(files(state).get(path)?.content ?? '').resources;

function removedEarly(state: EnvoyState): readonly string[] {
  const manager = resources(state, 'listeners.json')[0].filter_chains[0].filters[0].typed_config;
  return manager.early_header_mutation_extensions[0].typed_config.mutations.map(
    (mutation: { remove: string }) => mutation.remove,
  );
}

describe('envoyResourceFiles', () => {
  it('orders files so that what is referred to comes first', () => {
    expect([...files(TWO).keys()]).toEqual([
      BOOTSTRAP_FILE,
      'endpoints/default/s1.json',
      'endpoints/default/s2.json',
      'clusters.json',
      'routes.json',
      'listeners.json',
    ]);
  });

  it('leaves bootstrap and listener as they are where nothing is held longer, so that no such edit drains connections', () => {
    for (const path of [BOOTSTRAP_FILE, 'listeners.json']) {
      expect(files(TWO).get(path)?.content).toBe(files(ONE).get(path)?.content);
      expect(files(union(ONE, TWO)).get(path)?.content).toBe(files(ONE).get(path)?.content);
    }
  });

  it('changes only the endpoints file of a pool whose pods changed', () => {
    const moved = { ...ONE, schedulers: [schedulerState('s1', [endpoint('10.0.0.9:80')])] };
    const changed = [...files(moved)].filter(([path, file]) => file.content !== files(ONE).get(path)?.content);
    expect(changed.map(([path]) => path)).toEqual(['endpoints/default/s1.json']);
  });

  it('gives each watched file the version that Envoy will report', () => {
    for (const file of files(TWO).values()) {
      if (file.path === BOOTSTRAP_FILE) continue;
      expect(JSON.parse(file.content).version_info).toBe(file.applied?.version);
    }
  });

  it('marks a pod that is not ready, and reads IPv6 addresses', () => {
    expect(resources(TWO, 'endpoints/default/s2.json')[0].endpoints[0].lb_endpoints).toEqual([
      {
        health_status: 'UNHEALTHY',
        endpoint: { address: { socket_address: { address: 'fd00::1', port_value: 80 } } },
      },
    ]);
  });

  it('leads unrouted requests to the only scheduler, and to nobody where there are several', () => {
    const catchAll = (state: EnvoyState) => resources(state, 'routes.json')[0].virtual_hosts[0].routes.at(-1);
    expect(catchAll(ONE).route.cluster).toBe('default/s1');
    expect(catchAll(TWO).direct_response.status).toBe(503);
  });

  it('has each header that chooses an address removed early, and leaves the model header to the client', () => {
    const removed = removedEarly(ONE);
    expect(removed).toEqual(expect.arrayContaining([...EARLY_REMOVED_HEADERS]));
    expect(EARLY_REMOVED_HEADERS).toEqual(
      expect.arrayContaining([
        'x-gateway-destination-endpoint',
        'x-gateway-destination-endpoint-subset',
        'x-gateway-destination-endpoint-served',
        'x-gateway-base-model-name',
        'x-gateway-model-name-rewrite',
        'x-gateway-default-backend',
        'x-llm-d-destination-endpoint',
        'x-llm-d-base-model-name',
      ]),
    );
    expect(removed).not.toContain('x-gateway-model-name');
  });

  it('writes the time-outs that it is given', () => {
    const listeners = files(ONE, { ...ENVOY_OPTIONS, streamIdleTimeoutMs: 1_500 }).get('listeners.json');
    expect(listeners?.content).toContain('"stream_idle_timeout":"1.5s"');
  });

  it('waits 2 s longer for the processor than that holds a request at most', () => {
    const waits = (state: EnvoyState) =>
      /"message_timeout":"(.+?)"/.exec(files(state).get('listeners.json')!.content)![1];
    const overload = { maxQueueTimeMs: 1, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 1 };
    const held = {
      ...ONE,
      schedulers: [schedulerState('s1', [], { overload: { ...overload, emptyPoolHoldMs: 10_000 } })],
    };
    expect(waits(ONE)).toBe('2s');
    expect(waits(held)).toBe('12s');
    expect(waits(union(held, ONE))).toBe('12s');
    expect(waits(union(ONE, held))).toBe('12s');
  });

  it('has the headers that name objective and tenant removed early where verified claims say them, and only there', () => {
    expect(removedEarly(ONE)).not.toEqual(expect.arrayContaining([IDENTITY_HEADERS[0]]));
    expect(removedEarly({ ...ONE, claims: true })).toEqual(expect.arrayContaining([...IDENTITY_HEADERS]));
    expect(IDENTITY_HEADERS).toEqual([
      'x-gateway-inference-objective',
      'x-llm-d-inference-objective',
      'x-gateway-inference-fairness-id',
      'x-llm-d-inference-fairness-id',
    ]);
  });

  it('retries as the scheduler says', () => {
    const policies = (fields: object) =>
      resources(
        { ...ONE, schedulers: [schedulerState('s1', [], fields)] },
        'routes.json',
      )[0].virtual_hosts[0].routes.map(
        ({ route }: { route: { retry_policy?: { retry_on: string; num_retries: number } } }) =>
          route.retry_policy && [route.retry_policy.retry_on, route.retry_policy.num_retries],
      );
    const twice = (policy: unknown) => [policy, policy];
    expect(policies({})).toEqual(twice(['connect-failure,reset,refused-stream', 2]));
    expect(policies({ retry: { attempts: 1, afterDispatch: false } })).toEqual(
      twice(['connect-failure,refused-stream', 1]),
    );
    expect(policies({ retry: { attempts: 0, afterDispatch: true } })).toEqual(twice(undefined));
  });

  it('logs requests only where it is asked to', () => {
    expect(files(ONE).get('listeners.json')?.content).not.toContain('StderrAccessLog');
    const logged = files(ONE, { ...ENVOY_OPTIONS, accessLog: true }).get('listeners.json');
    expect(logged?.content).toContain('StderrAccessLog');
  });
});
