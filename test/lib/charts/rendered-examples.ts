import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SYSTEM_NAMESPACE } from '../../../lib/charts/names';
import { runRender } from '../../../runtime/render/run-render';
import type { ChartObject } from './objects';

const FOLDER = join(__dirname, '../../../examples/kubernetes');

/** Namespace of the Envoys: one that is not the controller's, so that what belongs there shows. */
export const ENVOYS = 'envoy-gateway-system';

/** Everything that the controller makes of the examples. */
export async function renderedExamples(): Promise<ChartObject[]> {
  const rendered = await Promise.all(readdirSync(FOLDER).map(render));
  return rendered.flatMap((yaml) => parseAllDocuments(yaml).map((document) => document.toJS() as ChartObject));
}

async function render(file: string): Promise<string> {
  const { yaml, faults } = await runRender([join(FOLDER, file)], {
    systemNamespace: SYSTEM_NAMESPACE,
    envoyNamespace: ENVOYS,
    gatewayControllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
    image: { reference: 'inference-gateway:0.1.0', pullPolicy: 'IfNotPresent', pullSecrets: [] },
    clusterDomain: 'cluster.local',
  });
  if (faults.length > 0) throw new Error(`${file}: ${faults.join('\n')}`);
  return yaml;
}
