import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SourcedObject } from './object-source';
import { parseYamlDocuments } from './yaml-documents';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Folders within folders; a symbolic link to a parent ends here. */
const MAX_DEPTH = 16;
const OBJECT_FILE = /\.(ya?ml|json)$/i;

/** A file that may hold objects, and a text that changes whenever the file does. */
export interface ObjectFile {
  readonly path: string;
  readonly fingerprint: string;
}

export interface ObjectFileSet {
  readonly files: readonly ObjectFile[];
  /** Folders in which a file could appear or be replaced. */
  readonly folders: readonly string[];
}

/** What the files hold. `faults` are `file:line: message`. */
export interface ObjectFilesContent {
  readonly objects: readonly SourcedObject[];
  readonly faults: readonly string[];
}

/**
 * The objects of files and folders. Of a folder every `.yaml`, `.yml` and `.json` below it is read, sorted by path,
 * hidden ones left out; a file that is named itself may have any name. Rejects with a clear error where a path is
 * missing, cannot be read, or is larger than 16 MiB.
 */
export async function readObjectFiles(paths: readonly string[]): Promise<ObjectFilesContent> {
  const { files } = await listObjectFiles(paths);
  return parseObjectFiles(await readTexts(files));
}

export async function listObjectFiles(paths: readonly string[]): Promise<ObjectFileSet> {
  const files = new Map<string, ObjectFile>();
  const folders = new Set<string>();
  for (const path of paths) {
    const found = await statOf(path);
    if (found === undefined) throw new Error(`${path}: no such file or folder`);
    if (found.isDirectory()) await listFolder(path, 0, files, folders);
    else {
      files.set(resolve(path), { path, fingerprint: fingerprint(found) });
      folders.add(resolve(path, '..'));
    }
  }
  return { files: [...files.values()], folders: [...folders] };
}

/** Text by path. */
export async function readTexts(files: readonly ObjectFile[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { path } of files) {
    try {
      const size = (await stat(path)).size;
      if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
      texts.set(path, await readFile(path, 'utf8'));
    } catch (error) {
      throw new Error(`${path}: cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }
  return texts;
}

export function parseObjectFiles(texts: ReadonlyMap<string, string>): ObjectFilesContent {
  const objects: SourcedObject[] = [];
  const faults: string[] = [];
  for (const [path, text] of texts) {
    const parsed = parseYamlDocuments(text, path);
    objects.push(...parsed.objects);
    faults.push(...parsed.faults.map(({ line, message }) => `${path}:${line}: ${message}`));
  }
  return { objects, faults };
}

async function listFolder(
  folder: string,
  depth: number,
  files: Map<string, ObjectFile>,
  folders: Set<string>,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new Error(`${folder}: more than ${MAX_DEPTH} folders deep; is it a link to a parent?`);
  folders.add(resolve(folder));
  for (const name of (await readdir(folder)).sort()) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    // A file may vanish between the two calls; it then counts as gone.
    const found = await statOf(path);
    if (found?.isDirectory()) await listFolder(path, depth + 1, files, folders);
    else if (found?.isFile() && OBJECT_FILE.test(name)) {
      files.set(resolve(path), { path, fingerprint: fingerprint(found) });
    }
  }
}

type Stats = Awaited<ReturnType<typeof stat>>;

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function fingerprint(stats: Stats): string {
  return `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}
