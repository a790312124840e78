import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const MODULE = 'github.com/envoyproxy/gateway';

/** What the constructs replace by what an installation says. */
const PLACE_HOLDERS = { namespace: 'NAMESPACE', image: 'REGISTRY/IMAGE:TAG', release: 'inference-gateway' };

export interface RenderedChart {
  /** Of Envoy Gateway. */
  readonly version: string;
  /** Tag of the Envoy image that this version runs unless told otherwise. */
  readonly envoyTag: string;
  readonly objects: readonly unknown[];
}

/**
 * The objects of Envoy Gateway's own chart, as its Go module has it at the version of `tools/go.mod`, without what is
 * done elsewhere here: CRDs and certificates (the controller's), hooks, and the webhook that injects topology labels.
 * `helm`: the binary.
 */
export function renderEnvoyGateway(helm: string, root: string): RenderedChart {
  const module = JSON.parse(
    execFileSync('go', ['list', '-m', '-json', MODULE], { cwd: join(root, 'test/kubernetes/tools'), encoding: 'utf8' }),
  ) as { Dir?: string; Version: string };
  if (module.Dir === undefined) {
    throw new Error(`${MODULE} is not in the module cache: run "go mod download ${MODULE}" in test/kubernetes/tools`);
  }
  const work = mkdtempSync(join(tmpdir(), 'envoy-gateway-chart-'));
  try {
    cpSync(join(module.Dir, 'charts/gateway-helm'), work, { recursive: true });
    execFileSync('chmod', ['-R', 'u+w', work]);
    fillIn(join(work, 'values.tmpl.yaml'), join(work, 'values.yaml'), {
      '${GatewayImage}': PLACE_HOLDERS.image,
      '${GatewayImagePullPolicy}': 'IfNotPresent',
    });
    fillIn(join(work, 'Chart.yaml'), join(work, 'Chart.yaml'), {
      'v0.0.0-latest': module.Version,
      '"latest"': module.Version,
    });
    const yaml = execFileSync(helm, ['template', PLACE_HOLDERS.release, work, ...HELM_FLAGS], { encoding: 'utf8' });
    const objects = parseAllDocuments(yaml).map((document) => document.toJS() as unknown);
    return {
      version: module.Version,
      envoyTag: envoyTag(module.Dir),
      objects: objects.filter((object) => object !== null),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function envoyTag(module: string): string {
  const source = readFileSync(join(module, 'api/v1alpha1/shared_types.go'), 'utf8');
  const tag = /DefaultEnvoyProxyImage = "docker\.io\/envoyproxy\/envoy:([^@"]+)/.exec(source)?.[1];
  if (tag === undefined) throw new Error(`${module}: no DefaultEnvoyProxyImage in api/v1alpha1/shared_types.go`);
  return tag;
}

const HELM_FLAGS = [
  '--no-hooks',
  '--namespace=NAMESPACE',
  '--set=crds.enabled=false',
  '--set=topologyInjector.enabled=false',
  '--set=fullnameOverride=inference-gateway',
  '--set=nameOverride=envoy-gateway',
  // What a null removes, the constructs set.
  '--set=deployment.pod.annotations=null',
];

function fillIn(from: string, to: string, words: Readonly<Record<string, string>>): void {
  const text = Object.entries(words).reduce((all, [word, by]) => all.replaceAll(word, by), readFileSync(from, 'utf8'));
  writeFileSync(to, text);
}
