import { checkObjects, ofKind } from '../../../../lib/translate/check-objects';
import { schedulerEndpoints } from '../../../../lib/translate/gateway-state/endpoints';
import type { SourcedValue } from '../../../../lib/translate/sourced-value';
import { podObject } from '../builders';

function endpointsOf(pods: readonly SourcedValue[]) {
  const checked = checkObjects(pods);
  if ('faults' in checked) throw new Error(checked.faults.join('\n'));
  const scheduler = { name: 's', modelSelector: { matchLabels: { app: 'm' } }, targetPort: 8000 };
  return schedulerEndpoints(scheduler, ofKind(checked.objects, 'Pod'));
}

describe('schedulerEndpoints', () => {
  it('takes the selected pods, by name, with their uid', () => {
    const { endpoints } = endpointsOf([
      podObject('b', 'm', '10.0.0.2', { uid: 'u2' }),
      podObject('c', 'other', '10.0.0.3'),
      podObject('a', 'm', '10.0.0.1'),
    ]);
    expect(endpoints).toEqual([
      { address: '10.0.0.1:8000', pod: 'default/a', ready: true },
      { address: '10.0.0.2:8000', pod: 'default/b', uid: 'u2', ready: true },
    ]);
  });

  it('puts IPv6 in brackets', () => {
    expect(endpointsOf([podObject('a', 'm', 'fd00::1')]).endpoints[0]?.address).toBe('[fd00::1]:8000');
  });

  it('takes a terminating pod for not ready', () => {
    const pod = podObject('a', 'm', '10.0.0.1', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(endpointsOf([pod]).endpoints[0]?.ready).toBe(false);
  });

  it('takes a pod without a Ready condition for not ready, and says so', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', labels: { app: 'm' } },
      status: { podIP: '10.0.0.1' },
    };
    const { endpoints, warnings } = endpointsOf([{ source: 'test', value: pod }]);
    expect(endpoints[0]?.ready).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('no Ready condition')]);
  });

  it('leaves a pod without an address out, and says so', () => {
    const { endpoints, warnings } = endpointsOf([podObject('a', 'm', undefined)]);
    expect(endpoints).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('default/a has no status.podIP')]);
  });

  it('leaves the second pod of an address out, and says so', () => {
    const { endpoints, warnings } = endpointsOf([podObject('a', 'm', '10.0.0.1'), podObject('b', 'm', '10.0.0.1')]);
    expect(endpoints.map(({ pod }) => pod)).toEqual(['default/a']);
    expect(warnings).toEqual([expect.stringContaining('of default/a')]);
  });

  it('says so when no pod is selected', () => {
    expect(endpointsOf([]).warnings).toEqual(['scheduler s: its modelSelector selects no pod']);
  });

  it('takes the ports of KV events from annotations', () => {
    const annotations = {
      'kv-events.inference-gateway/port': '5557',
      'kv-events.inference-gateway/replay-port': '5558',
    };
    const { endpoints, warnings } = endpointsOf([podObject('a', 'm', '10.0.0.1', { annotations })]);
    expect(endpoints).toEqual([
      { address: '10.0.0.1:8000', pod: 'default/a', ready: true, kvEventsPort: 5557, kvReplayPort: 5558 },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each(['0', '65536', '-1', '5557.0', '0x15', ' 5557', '10.0.0.9:5557', ''])(
    'passes over the port %j, and says so',
    (port) => {
      const annotations = { 'kv-events.inference-gateway/port': port };
      const { endpoints, warnings } = endpointsOf([podObject('a', 'm', '10.0.0.1', { annotations })]);
      expect(endpoints[0]).not.toHaveProperty('kvEventsPort');
      expect(warnings).toEqual([
        'test Pod default/a: annotation kv-events.inference-gateway/port: expected a port, "1" to "65535": it is passed over',
      ]);
    },
  );

  it('takes the port of the metrics page from an annotation', () => {
    const annotations = { 'metrics.inference-gateway/port': '8002' };
    const { endpoints, warnings } = endpointsOf([podObject('a', 'm', '10.0.0.1', { annotations })]);
    expect(endpoints).toEqual([{ address: '10.0.0.1:8000', pod: 'default/a', ready: true, metricsPort: 8002 }]);
    expect(warnings).toEqual([]);
  });

  it('passes over a port of the metrics page that is none, and says so', () => {
    const annotations = { 'metrics.inference-gateway/port': 'http' };
    const { endpoints, warnings } = endpointsOf([podObject('a', 'm', '10.0.0.1', { annotations })]);
    expect(endpoints[0]).not.toHaveProperty('metricsPort');
    expect(warnings).toEqual([
      'test Pod default/a: annotation metrics.inference-gateway/port: expected a port, "1" to "65535": it is passed over',
    ]);
  });

  it('says that a replay port alone has no effect', () => {
    const annotations = { 'kv-events.inference-gateway/replay-port': '5558' };
    const { endpoints, warnings } = endpointsOf([podObject('a', 'm', '10.0.0.1', { annotations })]);
    expect(endpoints[0]).not.toHaveProperty('kvReplayPort');
    expect(warnings).toEqual([expect.stringContaining('has no effect without kv-events.inference-gateway/port')]);
  });
});
