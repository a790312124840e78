import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../tools/run-command';
import { toolPath } from '../tools/tools-folder';
import type { Cluster } from './cluster';

export const SYSTEM_NAMESPACE = 'inference-gateway';

/** Below this folder of the chart. */
const CRDS = join('charts', 'crds', 'crds');

/**
 * Installs Envoy Gateway from its own chart, with its CRDs and the Gateway API's, and waits until it runs. `deployment`: name
 * of its Deployment.
 */
export async function installEnvoyGateway(
  cluster: Cluster,
  namespace = SYSTEM_NAMESPACE,
  deployment = 'envoy-gateway',
): Promise<void> {
  await installGatewayCrds(cluster);
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  // What the chart does in a hook.
  await runCommand(toolPath('envoy-gateway'), ['certgen', '--disable-topology-injector'], {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig, ENVOY_GATEWAY_NAMESPACE: namespace },
  });
  const rendered = await renderChart(namespace);
  await cluster.apply(rendered.replace(/^(kind: Deployment\nmetadata:\n {2}name: ).*$/m, `$1${deployment}`));
  await cluster.rolledOut(namespace, deployment);
}

/** The CRDs alone: Envoy Gateway's and the Gateway API's. */
async function installGatewayCrds(cluster: Cluster): Promise<void> {
  const folder = join(toolPath('gateway-helm'), CRDS);
  await cluster.kubectl([
    'apply',
    '--server-side',
    '-f',
    join(folder, 'gatewayapi-crds.yaml'),
    '-f',
    join(folder, 'generated'),
  ]);
}

async function renderChart(namespace: string): Promise<string> {
  const chart = toolPath('gateway-helm');
  // A chart without values is one that was never filled in.
  await readFile(join(chart, 'values.yaml'));
  return runCommand(toolPath('helm'), [
    ...['template', 'envoy-gateway', chart, '--namespace', namespace, '--no-hooks'],
    ...['--set', 'crds.enabled=false', '--set', 'topologyInjector.enabled=false'],
  ]);
}
