import { at, config, find, ofKind, scheduler, translate } from '../support';

const RETRY_LABEL = 'inference.sagemaker.aws.amazon.com/gateway-retry';

test('the Gateway’s policy is the usual way of every route', () => {
  const policy = find(translate(config([scheduler('llama')])), 'BackendTrafficPolicy', 'gateway');
  expect(policy.metadata.namespace).toBe('system');
  expect(policy.spec).toMatchObject({
    loadBalancer: { endpointOverride: { extractFrom: [{ header: 'x-gateway-destination-endpoint' }] } },
    retry: { numRetries: 2, retryOn: { triggers: ['connect-failure', 'reset', 'refused-stream'] } },
    requestBuffer: { limit: '268435456' },
    timeout: { http: { requestTimeout: '0s', streamIdleTimeout: '600s' } },
  });
});

test('a scheduler that retries otherwise has a policy of its way of retrying, which goes over the Gateway’s', () => {
  const translation = translate(
    config([
      scheduler('usual'),
      scheduler('same', { retry: { attempts: 2, afterDispatch: true } }),
      scheduler('never', { retry: { attempts: 0, afterDispatch: false } }),
      scheduler('unsent', { retry: { attempts: 1, afterDispatch: false } }),
      scheduler('unsent-too', { retry: { attempts: 1, afterDispatch: false } }),
    ]),
  );
  const policies = ofKind(translation, 'BackendTrafficPolicy').filter(({ metadata }) => metadata.name !== 'gateway');
  expect(policies.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
    'models/gateway-retry-0',
    'models/gateway-retry-1-unsent',
  ]);
  expect(policies.map(({ spec }) => at(spec, 'retry', 'numRetries'))).toEqual([0, 1]);
  expect(at(policies[1], 'spec', 'retry', 'retryOn', 'triggers')).toEqual(['connect-failure', 'refused-stream']);
  expect(policies.every(({ spec }) => at(spec, 'mergeType') === 'StrategicMerge')).toBe(true);

  const labelOf = (name: string) => find(translation, 'HTTPRoute', name).metadata.labels?.[RETRY_LABEL];
  expect(['usual', 'same', 'never', 'unsent', 'unsent-too'].map(labelOf)).toEqual([
    undefined,
    undefined,
    '0',
    '1-unsent',
    '1-unsent',
  ]);
  const selected = policies.map(({ spec }) => at(spec, 'targetSelectors', 0, 'matchLabels', RETRY_LABEL));
  expect(selected).toEqual(['0', '1-unsent']);
});

test('each of Envoy’s own replies is JSON, and only those that are plain text are replaced', () => {
  const policy = find(translate(config([scheduler('llama')])), 'BackendTrafficPolicy', 'gateway');
  const overrides = at(policy, 'spec', 'responseOverride') as ReadonlyArray<Record<string, unknown>>;
  for (const override of overrides) {
    expect(override).toMatchObject({
      source: 'Local',
      match: { responseHeaders: [{ name: 'content-type', value: { type: 'Exact', value: 'text/plain' } }] },
      response: { contentType: 'application/json' },
    });
    const body = String(at(override, 'response', 'body', 'inline'));
    expect(JSON.parse(body)).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
    const headers = at(override, 'response', 'header', 'set') as ReadonlyArray<{ name: string }>;
    expect(headers.map(({ name }) => name)).toContain('x-request-id');
    // Envoy would take it for an operator.
    expect(body).not.toContain('%');
  }
  const codes = overrides.map((override) => at(override, 'match', 'statusCodes', 0, 'value'));
  expect(codes).toEqual([400, 401, 403, 404, 408, 413, 431, 429, 502, 503, 504, undefined]);
});
