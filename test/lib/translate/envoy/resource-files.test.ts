import { BOOTSTRAP_FILE, envoyResourceFiles } from '../../../../lib/translate/envoy';
import { EARLY_REMOVED_HEADERS } from '../../../../lib/translate/envoy/control-headers';
import { ENVOY_OPTIONS, endpoint, schedulerState } from '../builders';

const ONE = { maxRequestBodyBytes: 1_000, schedulers: [schedulerState('s1', [endpoint('10.0.0.1:80')])] };
const TWO = {
  maxRequestBodyBytes: 2_000,
  schedulers: [...ONE.schedulers, schedulerState('s2', [endpoint('[fd00::1]:80', { ready: false })])],
};

const files = (state: typeof ONE, options = ENVOY_OPTIONS) =>
  new Map(envoyResourceFiles(state, options).map((file) => [file.path, file]));
const resources = (state: typeof ONE, path: string) => JSON.parse(files(state).get(path)?.content ?? '').resources;

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

  it('leaves bootstrap and listener as they are whatever the state, so that no edit drains connections', () => {
    for (const path of [BOOTSTRAP_FILE, 'listeners.json']) {
      expect(files(TWO).get(path)?.content).toBe(files(ONE).get(path)?.content);
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
    const catchAll = (state: typeof ONE) => resources(state, 'routes.json')[0].virtual_hosts[0].routes.at(-1);
    expect(catchAll(ONE).route.cluster).toBe('default/s1');
    expect(catchAll(TWO).direct_response.status).toBe(503);
  });

  it('has each header that chooses an address removed early, and leaves the model header to the client', () => {
    const manager = resources(ONE, 'listeners.json')[0].filter_chains[0].filters[0].typed_config;
    const removed = manager.early_header_mutation_extensions[0].typed_config.mutations.map(
      (mutation: { remove: string }) => mutation.remove,
    );
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
    const listeners = files(ONE, { ...ENVOY_OPTIONS, streamIdleTimeoutMs: 1_500, messageTimeoutMs: 250 }).get(
      'listeners.json',
    );
    expect(listeners?.content).toContain('"stream_idle_timeout":"1.5s"');
    expect(listeners?.content).toContain('"message_timeout":"0.25s"');
  });

  it('logs requests only where it is asked to', () => {
    expect(files(ONE).get('listeners.json')?.content).not.toContain('StderrAccessLog');
    const logged = files(ONE, { ...ENVOY_OPTIONS, accessLog: true }).get('listeners.json');
    expect(logged?.content).toContain('StderrAccessLog');
  });
});
