/** Renders Envoy Gateway's own chart into the file that lib/charts builds on. Needs Go and the built tools. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderEnvoyGateway } from './render-envoy-gateway/render-chart';

const root = join(__dirname, '..');
const chart = renderEnvoyGateway(join(root, '.cache/kubernetes/bin/helm'), root);
writeFileSync(join(root, 'lib/charts/envoy-gateway/rendered.json'), `${JSON.stringify(chart, undefined, 2)}\n`);
