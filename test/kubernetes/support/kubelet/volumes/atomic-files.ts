import { chmod, chown, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface VolumeFile {
  readonly data: Buffer;
  readonly mode: number;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The link to the folder that holds the current files. */
const DATA = '..data';

/**
 * Puts `files` (by path) in the folder so that a reader sees all of the old or all of the new: the names are links into
 * `..data`, which is a link that is replaced as a whole. As a kubelet does, so that what watches such a folder works here.
 */
export async function writeAtomically(
  folder: string,
  files: ReadonlyMap<string, VolumeFile>,
  { uid, gid }: Owner,
  version: number,
): Promise<void> {
  const fresh = `..version_${version}`;
  await mkdir(join(folder, fresh), { recursive: true, mode: 0o755 });
  for (const [path, { data, mode }] of files) {
    const target = join(folder, fresh, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, data);
    await chmod(target, mode);
    await chown(target, uid, gid);
  }
  const old = await readlink(join(folder, DATA)).catch(() => undefined);
  await symlink(fresh, join(folder, '..data_new'));
  await rename(join(folder, '..data_new'), join(folder, DATA));

  const wanted = new Set([...files.keys()].map((path) => path.split('/')[0]!));
  for (const name of await readdir(folder)) {
    if (!name.startsWith('..') && !wanted.delete(name)) await rm(join(folder, name));
  }
  for (const name of wanted) await symlink(join(DATA, name), join(folder, name));
  if (old !== undefined) await rm(join(folder, old), { recursive: true, force: true });
}
