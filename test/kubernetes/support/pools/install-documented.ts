import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentedCommands } from '../documented-commands';
import { ROOT } from '../standard-images';

/** What docs/inference-pools.md tells its readers to apply. */
export interface DocumentedPools {
  /** The objects at its top. */
  readonly example: string;
  /** Commands that let an Envoy Gateway that is there read pools. */
  readonly rights: string;
  /** What it is configured with. */
  readonly settings: string;
}

const PAGE = 'docs/inference-pools.md';

export async function documentedPools(): Promise<DocumentedPools> {
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const [example, settings] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);
  const [rights] = await documentedCommands(PAGE, 'With an Envoy Gateway that is there');
  if (!example || !settings || !rights) throw new Error(`${PAGE} is not as it was`);
  return { example, settings, rights };
}
