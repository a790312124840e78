import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { ClusterSchema } from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { ListenerSchema } from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_pb';
import { RouteConfigurationSchema } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_pb';
import type { RouteBackends } from '../../../../runtime/inference-pools/route-backends';
import type { BackendsOfRoutes, GatewayResources } from '../../../../runtime/inference-pools/xds/translate';
import { readable } from '../support/readable';

const FOLDER = join(__dirname, 'golden');

/** Names of the cases: `<case>.in.json` becomes `<case>.out.yaml`. */
export const CASES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.in.json'))
  .map((name) => name.slice(0, -'.in.json'.length));

export const outputOf = (name: string) => join(FOLDER, `${name}.out.yaml`);

/** The messages as they came over the wire, in base64, and what the API server then told of the HTTPRoutes. */
interface Captured {
  readonly clusters: readonly string[];
  readonly listeners: readonly string[];
  readonly routes: readonly string[];
  readonly backends: readonly (readonly [route: string, backends: RouteBackends])[];
}

export interface GoldenCase {
  readonly resources: GatewayResources;
  readonly backends: BackendsOfRoutes;
}

export function inputOf(name: string): GoldenCase {
  const { clusters, listeners, routes, backends } = JSON.parse(
    readFileSync(join(FOLDER, `${name}.in.json`), 'utf8'),
  ) as Captured;
  return {
    resources: {
      clusters: decoded(ClusterSchema, clusters),
      listeners: decoded(ListenerSchema, listeners),
      routes: decoded(RouteConfigurationSchema, routes),
    },
    backends: new Map(backends),
  };
}

function decoded<Desc extends DescMessage>(schema: Desc, messages: readonly string[]): MessageShape<Desc>[] {
  return messages.map((message) => fromBinary(schema, Buffer.from(message, 'base64')));
}

export function readableResources({ clusters, listeners, routes }: GatewayResources) {
  return {
    clusters: clusters.map((one) => readable(ClusterSchema, one)),
    listeners: listeners.map((one) => readable(ListenerSchema, one)),
    routes: routes.map((one) => readable(RouteConfigurationSchema, one)),
  };
}
