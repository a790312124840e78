import { join } from 'node:path';
import { bundledImage } from '../kubernetes/support/bundled-image';
import type { Images, ProgramImage } from '../kubernetes/support/kubelet/images';
import { standardImages } from '../kubernetes/support/standard-images';
import { toolPath } from '../kubernetes/tools/tools-folder';
import type { ConformanceOptions } from './options';
import { ECHO, EPP } from './tools';

/** Of a pod that does nothing. */
export const PLACEHOLDER_IMAGE = 'conformance/placeholder';

/** The product's, and those that the manifests of the suites name. */
export async function conformanceImages(picker: ConformanceOptions['picker']): Promise<Images> {
  return {
    ...(await standardImages()),
    'echo-basic': { entrypoint: ['echo-basic'], files: { '/usr/local/bin/echo-basic': toolPath(ECHO) } },
    // Asked by the tests of UDP routes alone.
    'coredns/coredns': { inert: true },
    [PLACEHOLDER_IMAGE]: { inert: true },
    'gateway-api-inference-extension/lwepp': picker === 'epp' ? epp() : await standIn(),
  };
}

/** What answers where the manifests have a picker. */
export const standIn = (): Promise<ProgramImage> => bundledImage(join(__dirname, 'picker', 'picker.ts'));

/** With upstream's own plugins for these tests. */
const EPP_CONFIG = `apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: header-based-testing-filter
- type: destination-endpoint-served-verifier
- type: random-picker
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: header-based-testing-filter
  - pluginRef: random-picker
`;

const epp = (): ProgramImage => ({
  entrypoint: ['epp', '--config-text', EPP_CONFIG, '--metrics-endpoint-auth=false'],
  files: { '/usr/local/bin/epp': toolPath(EPP) },
});
