import { open, rename, rm, writeFile } from 'node:fs/promises';
import { isRecord, items, property, textOf } from '../../lib/api/validation/loose';
import type { ObjectSet, SourcedObject } from './object-source';

/** Beyond it nothing is written, and nothing read. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Changes with every change of the file that an older reader would misread. */
const VERSION = 1;

/**
 * Puts a set of objects in a file, in place of what was there: whole or not at all, and readable for its owner only.
 * Rejects where it cannot be written, or is larger than 16 MiB.
 */
export async function writeStateFile(path: string, gateway: string, { objects }: ObjectSet): Promise<void> {
  const kept = objects.map(({ source, value }) => ({ source, value }));
  const text = JSON.stringify({ version: VERSION, gateway, objects: kept });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) throw new Error(`${path}: the objects have ${bytes} bytes; at most ${MAX_BYTES} are kept`);
  const next = `${path}.next`;
  // A file that a process left behind keeps its mode.
  await rm(next, { force: true });
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, path);
}

/** What was put there; undefined where there is no file. Rejects for one that cannot be used, or is of another gateway. */
export async function readStateFile(path: string, gateway: string): Promise<ObjectSet | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const kept = parse(text, path);
  if (property(kept, 'version') !== VERSION) throw new Error(`${path}: it was not written by this release`);
  const owner = textOf(property(kept, 'gateway'));
  if (owner !== gateway) throw new Error(`${path}: it is of the gateway ${owner}`);
  const objects = items(property(kept, 'objects')).flatMap((one): SourcedObject[] => {
    const source = textOf(property(one, 'source'));
    const value = property(one, 'value');
    return source !== undefined && isRecord(value) ? [{ source, value }] : [];
  });
  return { objects };
}

async function readText(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${path}: cannot be read: ${error.code}`);
  });
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error(`${path}: it has ${size} bytes; at most ${MAX_BYTES} are read`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: it is not JSON: ${(error as Error).message}`);
  }
}
