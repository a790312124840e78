import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quote } from './quote';

/** A folder or file of this machine, seen in the container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly file: boolean;
  readonly readOnly: boolean;
}

export interface RootPlan {
  /** Holds `upper`, `work` and `root`; not on the file system of this machine's root. */
  readonly folder: string;
  readonly devices: string;
  readonly hostname: string;
  readonly readOnly: boolean;
  readonly mounts: readonly Mount[];
}

/**
 * The script that makes the container's root in the mount namespace that it runs in: this machine's files below a layer
 * of the container's own, so that nothing it writes lasts, with an empty /tmp and what is mounted.
 */
export function rootScript({ folder, devices, hostname, readOnly, mounts }: RootPlan): string {
  const root = join(folder, 'root');
  const overlay = `lowerdir=/,upperdir=${join(folder, 'upper')},workdir=${join(folder, 'work')}`;
  const writableTmp = !readOnly;
  const byDepth = [...mounts].sort((a, b) => depth(a.target) - depth(b.target));
  return [
    `mount -t overlay -o ${quote(overlay)} overlay ${quote(root)}`,
    `mount --bind ${quote(devices)} ${quote(`${root}/dev`)}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${quote(`${root}/dev/shm`)}`,
    `mount --bind -o ro /sys ${quote(`${root}/sys`)}`,
    `mount -t tmpfs -o mode=1777${writableTmp ? '' : ',ro'} tmpfs ${quote(`${root}/tmp`)}`,
    `hostname ${quote(hostname)}`,
    ...byDepth.flatMap((mount) => mountLines(root, mount)),
    ...(readOnly ? [`mount -o remount,bind,ro ${quote(root)}`] : []),
  ].join('\n');
}

function mountLines(root: string, { source, target, file, readOnly }: Mount): readonly string[] {
  const place = quote(root + followLinks(target));
  const make = file
    ? [`mkdir -p ${quote(root + dirname(followLinks(target)))}`, `[ -e ${place} ] || : > ${place}`]
    : [`mkdir -p ${place}`];
  return [
    ...make,
    `mount --bind ${quote(source)} ${place}`,
    ...(readOnly ? [`mount -o remount,bind,ro ${place}`] : []),
  ];
}

/** A link such as /var/run would lead out of the container's root when it is followed from outside of it. */
function followLinks(path: string): string {
  for (let known = path, rest = ''; ; rest = join(known.slice(dirname(known).length), rest), known = dirname(known)) {
    try {
      return join(realpathSync(known), rest);
    } catch {
      if (known === dirname(known)) return path;
    }
  }
}

const depth = (path: string) => path.split('/').filter((part) => part !== '').length;
