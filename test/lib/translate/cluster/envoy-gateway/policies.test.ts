import { at, config, find, ofKind, scheduler, translate } from '../support';

const JWT = {
  provider: {
    name: 'corporate',
    issuer: 'https://login.example.com',
    remoteJWKS: { uri: 'https://login.example.com/keys' },
    audiences: ['llm'],
  },
};

describe('tokens', () => {
  test('without them there is no policy, and a warning', () => {
    const translation = translate(config([scheduler('llama')]));
    expect(ofKind(translation, 'SecurityPolicy')).toEqual([]);
    expect(translation.problems.map(({ reason }) => reason)).toContain('NotAuthenticated');
  });

  test('are checked on every route but those of health', () => {
    const translation = translate(config([scheduler('llama')], { auth: { jwt: JWT } }));
    expect(find(translation, 'SecurityPolicy', 'gateway').spec).toMatchObject({
      targetRefs: [{ kind: 'Gateway', name: 'gateway' }],
      jwt: { providers: [{ issuer: 'https://login.example.com', audiences: ['llm'] }] },
    });
    expect(find(translation, 'SecurityPolicy', 'gateway-health')).toMatchObject({
      metadata: { namespace: 'models' },
      spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'gateway-health' }] },
    });
    expect(Object.keys(find(translation, 'SecurityPolicy', 'gateway-health').spec as object)).toEqual(['targetRefs']);
  });

  test('what could name a model is no health check', () => {
    const { spec } = find(
      translate(config([scheduler('llama')], { auth: { jwt: JWT } })),
      'HTTPRoute',
      'gateway-health',
    );
    const matches = at(spec, 'rules', 0, 'matches') as ReadonlyArray<{ method: string; path: { type: string } }>;
    expect(new Set(matches.map(({ method, path }) => `${path.type} ${method}`))).toEqual(
      new Set(['Exact GET', 'Exact HEAD']),
    );
  });

  test('whoever lacks a required claim is denied', () => {
    const requiredClaims = [{ name: 'groups', valueType: 'StringArray', values: ['llm'] }];
    const jwt = { provider: { ...JWT.provider, audiences: undefined, requiredClaims } };
    const { spec } = find(translate(config([scheduler('llama')], { auth: { jwt } })), 'SecurityPolicy', 'gateway');
    expect(at(spec, 'authorization')).toEqual({
      defaultAction: 'Deny',
      rules: [
        {
          name: 'required-claims',
          action: 'Allow',
          principal: { jwt: { provider: 'corporate', claims: requiredClaims } },
        },
      ],
    });
    expect(at(spec, 'jwt', 'providers', 0)).not.toHaveProperty('audiences');
  });

  test('claims become the headers that say what a request is, and a client’s are removed', () => {
    const removed = (spec: object) =>
      at(
        find(translate(config([scheduler('llama')], { ...spec })), 'ClientTrafficPolicy', 'gateway'),
        'spec',
        ...['headers', 'earlyRequestHeaders', 'remove'],
      );
    const withClaims = { auth: { jwt: { ...JWT, claims: { tenant: 'sub' } } } };
    expect(removed({})).not.toContain('x-gateway-inference-fairness-id');
    expect(removed(withClaims)).toEqual(
      expect.arrayContaining(['x-gateway-inference-fairness-id', 'x-llm-d-inference-objective']),
    );
    const { spec } = find(translate(config([scheduler('llama')], withClaims)), 'SecurityPolicy', 'gateway');
    expect(at(spec, 'jwt', 'providers', 0, 'claimToHeaders')).toEqual([
      { header: 'x-gateway-inference-fairness-id', claim: 'sub' },
    ]);
  });
});

describe('routes', () => {
  const rule = (translation: ReturnType<typeof translate>, name: string) =>
    at(find(translation, 'HTTPRoute', name), 'spec', 'rules', 0);

  test('the only scheduler gets everything, so that its pods are balanced without a router', () => {
    const translation = translate(config([scheduler('llama', { routeTimeout: '90s' })]));
    expect(rule(translation, 'llama')).toMatchObject({
      // Its model's too: while the catch-all of several is still there, that would win otherwise.
      matches: [
        { headers: [{ type: 'Exact', name: 'x-gateway-base-model-name', value: 'llama' }] },
        { path: { type: 'PathPrefix', value: '/' } },
      ],
      timeouts: { request: '90s' },
      backendRefs: [{ kind: 'Service', name: 'llama-pool', port: 80 }],
    });
    expect(rule(translation, 'llama')).not.toHaveProperty('matches.1.headers');
    const { modelName: _, ...unnamed } = scheduler('llama');
    expect(at(find(translate(config([unnamed])), 'HTTPRoute', 'llama'), 'spec', 'rules')).toMatchObject([
      { matches: [{ path: { type: 'PathPrefix', value: '/' } }] },
    ]);
    expect(ofKind(translation, 'HTTPRoute').map(({ metadata }) => metadata.name)).not.toContain('gateway-catch-all');
  });

  test('what a router sends to another model than the only one goes nowhere, while Envoy does not know that model', () => {
    const translation = translate(config([scheduler('llama')]));
    expect(at(find(translation, 'HTTPRoute', 'llama'), 'spec', 'rules', 1)).toEqual({
      matches: [
        {
          path: { type: 'PathPrefix', value: '/' },
          headers: [{ type: 'RegularExpression', name: 'x-gateway-base-model-name', value: '.+' }],
        },
      ],
      filters: [{ type: 'ExtensionRef', extensionRef: expect.objectContaining({ name: 'gateway-unavailable' }) }],
    });
  });

  test('several are told apart by the base model; what fits none gets 503, and the default backend what it is for', () => {
    const translation = translate(
      config([scheduler('llama'), scheduler('qwen')], { bbr: { enabled: true, defaultBackend: { name: 'legacy' } } }),
    );
    expect(rule(translation, 'qwen')).toMatchObject({
      matches: [{ headers: [{ type: 'Exact', name: 'x-gateway-base-model-name', value: 'qwen' }] }],
    });
    expect(rule(translation, 'gateway-catch-all')).toMatchObject({
      filters: [{ extensionRef: { kind: 'HTTPRouteFilter', name: 'gateway-unavailable' } }],
    });
    expect(rule(translation, 'gateway-default-backend')).toMatchObject({
      matches: [{ headers: [{ name: 'x-gateway-default-backend', value: 'true' }] }],
      backendRefs: [{ name: 'legacy', port: 8000 }],
    });
    const unavailable = find(translation, 'HTTPRouteFilter', 'gateway-unavailable');
    expect(at(unavailable, 'spec', 'directResponse')).toMatchObject({ statusCode: 503 });
  });

  test('one that nothing takes brings Envoys the certificate that they show to routers', () => {
    const translation = translate(config([scheduler('llama')]));
    expect(rule(translation, 'gateway-bbr')).toEqual({
      matches: [
        {
          path: { type: 'PathPrefix', value: '/' },
          headers: [{ type: 'Exact', name: 'x-gateway-default-backend', value: 'never' }],
        },
      ],
      backendRefs: [{ group: '', kind: 'Service', name: 'gateway-bbr', namespace: 'system', port: 9004 }],
    });
    // What clients send of it is removed first.
    const headers = at(find(translation, 'ClientTrafficPolicy', 'gateway'), 'spec', 'headers', 'earlyRequestHeaders');
    expect(at(headers, 'remove')).toContain('x-gateway-default-backend');
    expect(at(find(translation, 'ReferenceGrant', 'gateway-bbr'), 'spec')).toEqual({
      from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'models' }],
      to: [{ group: '', kind: 'Service', name: 'gateway-bbr' }],
    });
    expect(ofKind(translate(config([scheduler('llama')], {}, { namespace: 'system' })), 'ReferenceGrant')).toEqual([]);
  });

  test('only routes of the config’s namespace may attach', () => {
    const listener = at(find(translate(config([scheduler('llama')])), 'Gateway', 'gateway'), 'spec', 'listeners', 0);
    expect(at(listener, 'allowedRoutes', 'namespaces', 'selector', 'matchLabels')).toEqual({
      'kubernetes.io/metadata.name': 'models',
    });
  });
});
