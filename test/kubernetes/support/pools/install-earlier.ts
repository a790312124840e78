import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { SERVER_CONFIG } from '../../../../lib/charts/envoy-gateway/server-config';
import { version } from '../../../../package.json';
import type { Cluster } from '../cluster';
import type { Images, ProgramImage } from '../kubelet/images';
import { ROOT, standardImages } from '../standard-images';

const IMAGE = 'inference-gateway';
/** Tag of the images of a release for which InferencePools were no backends. */
export const EARLIER = '0.0.9';

/** What is cut out of the bundle: it listens for nobody, and makes no certificates for those who would ask. */
const CUTS: ReadonlyArray<readonly [found: RegExp, instead: string]> = [
  [/(?<=async function runInferencePools\(\w+\) \{)/g, ' return;'],
  [/await reconcileTrust\(client, inferencePoolTrust\(.*?\), \w+\)/g, '{ dueAt: Infinity, problems: [] }'],
];

/** The program of that release: the bundle of this checkout without that part. */
export async function earlierImage(): Promise<Images> {
  const { [IMAGE]: present } = (await standardImages()) as { readonly [IMAGE]: ProgramImage };
  const dist = join(await mkdtemp('/run/earlier-'), 'dist');
  await cp(join(ROOT, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const program = join(dist, 'inference-gateway.js');
  let text = await readFile(program, 'utf8');
  for (const [found, instead] of CUTS) {
    const times = [...text.matchAll(found)].length;
    if (times !== 1) throw new Error(`the bundle has ${found} ${times} times, not once`);
    text = text.replace(found, instead);
  }
  await writeFile(program, text);
  return { [`${IMAGE}:${EARLIER}`]: { ...present, files: { ...present.files, '/app/dist': dist } } };
}

const CONFIG = 'envoy-gateway.yaml';
/** The ConfigMap that it was in. */
const FORMER_CONFIG = 'envoy-gateway-config';
/** Names of what the manifests have for InferencePools: roles, ports, volumes. */
const POOLS = /^inference-pools|-inference-pools$/;
const POOLS_PORT = 9006;

interface Manifest {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Applies the manifests of that release: those of this checkout without what they have for InferencePools. */
export async function installEarlier(cluster: Cluster): Promise<void> {
  const read = (file: string) => readFile(join(ROOT, 'deploy', 'manifests', file), 'utf8');
  await cluster.apply(await read('namespace.yaml'));
  const text = (await read('install.yaml')).replaceAll(`${IMAGE}:${version}`, `${IMAGE}:${EARLIER}`);
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  await cluster.apply(objects.filter(({ metadata }) => !POOLS.test(metadata.name)).map(earlier));
}

function earlier(object: Manifest): object {
  const config = object.data?.[CONFIG];
  if (config !== undefined) {
    const { extensionManager: _, ...others } = parse(config) as Record<string, unknown>;
    const metadata = { ...object.metadata, name: FORMER_CONFIG };
    return { ...object, metadata, data: { ...object.data, [CONFIG]: stringify(others) } };
  }
  const withoutPools = (_: string, value: unknown) =>
    Array.isArray(value) ? value.filter((one) => !isForPools(one)) : value;
  const text = JSON.stringify(object).replaceAll(`"${SERVER_CONFIG}"`, `"${FORMER_CONFIG}"`);
  return JSON.parse(text, withoutPools) as object;
}

/** A port, a volume, or a rule of a NetworkPolicy. */
function isForPools(one: unknown): boolean {
  if (typeof one !== 'object' || one === null) return false;
  const { name, ports } = one as { readonly name?: string; readonly ports?: ReadonlyArray<{ readonly port?: number }> };
  return (name !== undefined && POOLS.test(name)) || ports?.some(({ port }) => port === POOLS_PORT) === true;
}
