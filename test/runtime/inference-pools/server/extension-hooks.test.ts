import { create } from '@bufbuild/protobuf';
import { ListenerSchema } from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_pb';
import type { Route } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import { SecretSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/transport_sockets/tls/v3/secret_pb';
import {
  PostRouteModifyRequestSchema,
  PostTranslateModifyRequestSchema,
} from '../../../../runtime/envoy-api/generated/proto/extension/service_pb';
import { extensionHooks } from '../../../../runtime/inference-pools/server/extension-hooks';
import { poolsOf } from '../../../../runtime/inference-pools/xds/stamp';
import { translate } from '../../../../runtime/inference-pools/xds/translate';
import { pool } from '../support/objects';
import { DISCOVERY, leadsTo, picked, unpicked } from '../support/pools';
import { cluster, httpChain, leading, route, routes } from '../support/xds';

const RULE = 'httproute/models/chat/rule/0';
const BACKENDS = new Map([['models/chat', [[leadsTo('alpha')]]]]);
const signal = new AbortController().signal;

const readNothing = () => Promise.resolve(new Map());
const hooks = extensionHooks({ discovery: () => DISCOVERY, readBackends: readNothing });

describe('a route', () => {
  const given = route(RULE, leading(RULE));
  const ask = (fields: { readonly route?: Route }, ...resources: readonly object[]) =>
    hooks.postRouteModify(
      create(PostRouteModifyRequestSchema, {
        ...fields,
        postRouteContext: {
          extensionResources: resources.map((one) => ({ unstructuredBytes: Buffer.from(JSON.stringify(one)) })),
        },
      }),
    );

  test('is stamped with the pools that it leads to', () => {
    const alpha = pool('alpha', { endpointPickerRef: { name: 'alpha-epp', port: { number: 9002 } } });

    const { route: result } = ask({ route: given }, alpha, pool('beta'));

    expect(poolsOf(result!)).toEqual([picked('alpha'), unpicked('beta')]);
    expect(result).toMatchObject({ name: given.name, action: given.action });
  });

  test('is stamped with pools alone, of whichever version', () => {
    const later = { ...pool('beta'), apiVersion: 'inference.networking.k8s.io/v2' };
    const others = [
      { ...pool('alpha'), kind: 'InferencePoolImport' },
      { ...pool('alpha'), apiVersion: 'inference.networking.x-k8s.io/v1alpha2' },
    ];

    expect(poolsOf(ask({ route: given }, ...others, later).route!)).toEqual([unpicked('beta')]);
  });

  test('without pools stays as it is', () => {
    expect(ask({ route: given }).route).toEqual(given);
    expect(ask({ route: given }, { ...pool(), kind: 'Other' }).route).toEqual(given);
    expect(hooks.postRouteModify(create(PostRouteModifyRequestSchema, { route: given })).route).toEqual(given);
  });

  test('that is none stays none', () => {
    expect(ask({}, pool()).route).toBeUndefined();
  });
});

describe('a configuration', () => {
  const resources = {
    clusters: [cluster(RULE)],
    listeners: [create(ListenerSchema, { name: 'gw/http', defaultFilterChain: httpChain() })],
    routes: [routes(route(RULE, leading(RULE), [picked('alpha')]))],
  };
  const request = create(PostTranslateModifyRequestSchema, { ...resources, secrets: [{ name: 'tls' }] });

  test('is translated by what the HTTPRoutes with pools lead to now', async () => {
    let asked: ReadonlySet<string> | undefined;
    const { postTranslateModify } = extensionHooks({
      discovery: () => DISCOVERY,
      readBackends: (names) => {
        asked = names;
        return Promise.resolve(BACKENDS);
      },
    });

    const { clusters, listeners, routes: configurations } = await postTranslateModify(request, signal);

    expect(asked).toEqual(new Set(['models/chat']));
    const translated = translate(resources, BACKENDS, DISCOVERY);
    expect({ clusters, listeners, routes: configurations }).toEqual(translated);
  });

  test('keeps its secrets', async () => {
    const { secrets } = await hooks.postTranslateModify(request, signal);

    expect(secrets).toEqual([create(SecretSchema, { name: 'tls' })]);
  });

  test('is not answered for where it is not known what HTTPRoutes lead to', async () => {
    const failure = new Error('is forbidden');
    const failing = extensionHooks({ discovery: () => DISCOVERY, readBackends: () => Promise.reject(failure) });

    await expect(failing.postTranslateModify(request, signal)).rejects.toBe(failure);
  });

  test('is not answered for without certificates for Envoys', async () => {
    const failure = new Error('has no certificate');
    const failing = extensionHooks({
      discovery: () => {
        throw failure;
      },
      readBackends: readNothing,
    });

    await expect(failing.postTranslateModify(request, signal)).rejects.toBe(failure);
  });

  test('is given to Envoys with the certificates of now', async () => {
    let key = 'first';
    const rotating = extensionHooks({
      discovery: () => ({ ...DISCOVERY, tls: { ...DISCOVERY.tls, key } }),
      readBackends: () => Promise.resolve(BACKENDS),
    });

    const texts: string[] = [];
    for (key of ['first', 'second']) {
      const { clusters } = await rotating.postTranslateModify(request, signal);
      texts.push(
        JSON.stringify(
          clusters.map(({ edsClusterConfig }) => edsClusterConfig),
          (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
        ),
      );
    }

    expect(texts.map((text) => text.includes('"second"'))).toEqual([false, true]);
  });
});
