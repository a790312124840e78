import { readFileSync, writeFileSync } from 'node:fs';
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { parse, stringify } from 'yaml';
import { ClusterSchema } from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { ListenerSchema } from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_pb';
import type { Route } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import { RouteSchema } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import { RouteConfigurationSchema } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_pb';
import { poolsOf } from '../../../../runtime/inference-pools/xds/stamp';
import { type GatewayResources, routesWithPools, translate } from '../../../../runtime/inference-pools/xds/translate';
import { DISCOVERY } from '../support/pools';
import { CASES, inputOf, outputOf, readableResources } from './golden-case';

/**
 * What Envoy Gateway itself has sent, in `golden/<case>.in.json`, becomes what Envoys get, in `golden/<case>.out.yaml`. A run
 * with UPDATE_GOLDEN=1 writes the outputs anew.
 */
describe.each(CASES)('%s', (name) => {
  const { resources, backends } = inputOf(name);
  const bytes = encoded(resources);
  const result = translate(resources, backends, DISCOVERY);

  test('becomes what is written', () => {
    const path = outputOf(name);
    if (process.env.UPDATE_GOLDEN === '1') {
      const text = stringify(readableResources(result), { lineWidth: 0, aliasDuplicateObjects: false });
      writeFileSync(path, text);
    }

    expect(readableResources(result)).toEqual(parse(readFileSync(path, 'utf8')));
  });

  test('the backends of each HTTPRoute that has pools are asked for', () => {
    expect([...routesWithPools(resources.routes)].sort()).toEqual([...backends.keys()].sort());
  });

  test('a second time it becomes the same, and is itself as it came', () => {
    expect(encoded(translate(resources, backends, DISCOVERY))).toEqual(encoded(result));
    expect(encoded(resources)).toEqual(bytes);
  });

  test('what has nothing to do with pools stays byte for byte', () => {
    const untouched = routesOf(resources).filter(
      (route) => route.action.case !== 'route' || poolsOf(route).length === 0,
    );
    const led = new Set(routesOf(resources).flatMap((route) => (poolsOf(route).length > 0 ? route.name : [])));
    const isOfPool = (cluster: string) => [...led].some((route) => route.startsWith(`${cluster}/`));
    const others = resources.clusters.filter((cluster) => !isOfPool(cluster.name));
    const bare = resources.listeners.filter(({ name: listener }) => listener.startsWith('envoy-gateway-proxy-ready'));
    expect([untouched, others, bare].map(({ length }) => length > 0)).toEqual([true, true, true]);

    expect(hex(RouteSchema, routesOf(result))).toEqual(expect.arrayContaining(hex(RouteSchema, untouched)));
    expect(hex(ClusterSchema, result.clusters)).toEqual(expect.arrayContaining(hex(ClusterSchema, others)));
    expect(hex(ListenerSchema, result.listeners)).toEqual(expect.arrayContaining(hex(ListenerSchema, bare)));
    expect(routesOf(result).map((route) => route.name)).toEqual(routesOf(resources).map((route) => route.name));
  });
});

const routesOf = ({ routes }: GatewayResources): readonly Route[] =>
  routes.flatMap(({ virtualHosts }) => virtualHosts.flatMap((host) => host.routes));

function encoded({ clusters, listeners, routes }: GatewayResources): string[] {
  return [...hex(ClusterSchema, clusters), ...hex(ListenerSchema, listeners), ...hex(RouteConfigurationSchema, routes)];
}

function hex<Desc extends DescMessage>(schema: Desc, messages: readonly MessageShape<Desc>[]): string[] {
  return messages.map((message) => Buffer.from(toBinary(schema, message)).toString('hex'));
}
