import { bootstrap } from './bootstrap';
import { clusterLoadAssignment, dynamicClusters } from './clusters';
import { discoveryResponse } from './discovery-response';
import { type EnvoyState, type Pool, pools } from './envoy-state';
import { listener } from './listener';
import type { EnvoyOptions } from './options';
import { ROUTE_CONFIGURATION, STAT_PREFIX, TYPE_URL } from './resource-names';
import { routeConfiguration } from './routes';

/** Start Envoy with `-c` and this file. */
export const BOOTSTRAP_FILE = 'bootstrap.json';
const LISTENERS_FILE = 'listeners.json';
const CLUSTERS_FILE = 'clusters.json';
const ROUTES_FILE = 'routes.json';

export interface EnvoyFile {
  /** Relative to `EnvoyOptions.directory`. */
  readonly path: string;
  /** JSON text; the same state gives the same text. */
  readonly content: string;
  /**
   * Set where Envoy watches the file: the text statistic `stat` of its admin interface reads `version` once Envoy has
   * taken the content over.
   */
  readonly applied?: { readonly stat: string; readonly version: string };
}

/**
 * Every file of Envoy's configuration, in the order in which they must be written: what is referred to comes before
 * what refers to it. Write each beside its place and rename it into it: Envoy reads a watched file when one is moved
 * over it.
 */
export function envoyResourceFiles(state: EnvoyState, options: EnvoyOptions): readonly EnvoyFile[] {
  const absolute = (path: string) => `${options.directory}/${path}`;
  return [
    {
      path: BOOTSTRAP_FILE,
      content: JSON.stringify(
        bootstrap(options, { listeners: absolute(LISTENERS_FILE), clusters: absolute(CLUSTERS_FILE) }),
      ),
    },
    ...pools(state).map((pool) =>
      watched(endpointsFile(pool), [clusterLoadAssignment(pool)], `cluster.${pool.name}.version_text`),
    ),
    watched(
      CLUSTERS_FILE,
      dynamicClusters(state, (pool) => absolute(endpointsFile(pool))),
      'cluster_manager.cds.version_text',
    ),
    watched(
      ROUTES_FILE,
      [{ '@type': TYPE_URL.routes, ...routeConfiguration(state) }],
      `http.${STAT_PREFIX}.rds.${ROUTE_CONFIGURATION}.version_text`,
    ),
    watched(LISTENERS_FILE, [listener(state, options, absolute(ROUTES_FILE))], 'listener_manager.lds.version_text'),
  ];
}

function endpointsFile(pool: Pool): string {
  return `endpoints/${pool.name}.json`;
}

function watched(path: string, resources: Parameters<typeof discoveryResponse>[0], stat: string): EnvoyFile {
  const { version, content } = discoveryResponse(resources);
  return { path, content, applied: { stat, version } };
}
