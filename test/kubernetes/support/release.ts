import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../../package.json';
import type { ProgramImage } from './kubelet/images';
import { ROOT, standardImages } from './standard-images';

/** Field of the CRD of another release, which this one does not have. */
export const NEW_FIELD = 'comment';

const CRD = join('crd', 'inference-gateway', 'inference.sagemaker.aws.amazon.com_inferencegatewayconfigs.json');

export interface Release {
  /** A folder with the chart in `charts/inference-gateway`. */
  readonly folder: string;
  /** What runs where an image has its version as tag. */
  readonly image: ProgramImage;
}

/** Values of a chart that have another default: what is written in values.yaml, and what in its place. */
export type Defaults = Readonly<Record<string, string>>;

/**
 * This checkout as if it were of another version: a program that has its number, ships a CRD with one field more, and is
 * otherwise the bundle of this one; and a chart that installs it.
 */
export async function makeRelease(other: string, defaults: Defaults): Promise<Release> {
  const folder = await mkdtemp('/run/release-');
  const dist = join(folder, 'dist');
  await cp(join(ROOT, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  await edit(join(dist, 'inference-gateway.js'), { [`version = "${version}"`]: `version = "${other}"` });
  await edit(join(dist, CRD), {
    [`"v${version}"`]: `"v${other}"`,
    '"bbr":{': `"${NEW_FIELD}":{"type":"string"},"bbr":{`,
  });
  const chart = join(folder, 'charts', 'inference-gateway');
  await mkdir(chart, { recursive: true });
  await cp(join(ROOT, 'charts', 'inference-gateway'), chart, { recursive: true });
  await edit(join(chart, 'Chart.yaml'), {
    [`\nversion: ${version}`]: `\nversion: ${other}`,
    [`\nappVersion: ${version}`]: `\nappVersion: ${other}`,
  });
  await edit(join(chart, 'values.yaml'), { [`tag: ${version}`]: `tag: ${other}`, ...defaults });
  const { 'inference-gateway': image } = (await standardImages()) as { 'inference-gateway': ProgramImage };
  const files = { ...image.files, '/app/dist': dist };
  return { folder, image: { ...image, files } };
}

/** Each text that is replaced has to be there once. */
async function edit(file: string, replacements: Readonly<Record<string, string>>): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [before, after] of Object.entries(replacements)) {
    const found = text.split(before).length - 1;
    if (found !== 1) throw new Error(`${file} has ${JSON.stringify(before)} ${found} times, not once`);
    text = text.replace(before, () => after);
  }
  await writeFile(file, text);
}
