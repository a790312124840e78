import type { V1Pod } from '@kubernetes/client-node';
import { fieldValue, resourceValue } from '../downward';
import { dataOf, type Lookup, NotYet } from '../lookup';
import type { Owner, VolumeFile } from './atomic-files';
import type { Tokens } from './tokens';
import type { FileSource, FileVolume } from './volume-source';

export interface FilesContext {
  readonly pod: V1Pod;
  readonly addresses: { readonly podIp: string; readonly hostIp: string };
  readonly lookup: Lookup;
  readonly tokens: Tokens;
}

/** The files of a volume as they are to be now. Rejects with NotYet where something is missing. */
export async function volumeFiles(volume: FileVolume, context: FilesContext): Promise<Map<string, VolumeFile>> {
  const files = new Map<string, VolumeFile>();
  const group = context.pod.spec?.securityContext?.fsGroup;
  for (const source of volume.sources) {
    for (const [path, { data, mode }] of await sourceFiles(source, volume.defaultMode, context)) {
      files.set(path, { data, mode: group === undefined ? mode : mode | 0o440 });
    }
  }
  return files;
}

async function sourceFiles(
  source: FileSource,
  defaultMode: number,
  { pod, addresses, lookup, tokens }: FilesContext,
): Promise<readonly (readonly [string, VolumeFile])[]> {
  switch (source.kind) {
    case 'token': {
      const data = Buffer.from(await tokens.token(source.audience, source.seconds));
      return [[source.path, { data, mode: commonUser(pod) === undefined ? defaultMode : 0o600 }]];
    }
    case 'downwardAPI':
      return source.items.map(({ path, fieldRef, resourceFieldRef, mode }) => {
        const value =
          fieldRef !== undefined
            ? fieldValue(pod, fieldRef.fieldPath, addresses)
            : resourceValue(pod, '', resourceFieldRef!);
        return [path, { data: Buffer.from(value), mode: mode ?? defaultMode }];
      });
    default: {
      const data = dataOf(lookup, { ...source, namespace: pod.metadata!.namespace! });
      if (source.items === undefined) return [...data].map(([key, value]) => [key, { data: value, mode: defaultMode }]);
      return source.items.flatMap(({ key, path, mode }) => {
        const value = data.get(key);
        if (value !== undefined) return [[path, { data: value, mode: mode ?? defaultMode }] as const];
        if (source.optional) return [];
        throw new NotYet(`${source.kind} "${source.name}" has no key "${key}"`);
      });
    }
  }
}

/** Who the files belong to: what all containers run as, so that it can read tokens. */
export function volumeOwner(pod: V1Pod): Owner {
  return { uid: commonUser(pod) ?? 0, gid: pod.spec?.securityContext?.fsGroup ?? 0 };
}

function commonUser(pod: V1Pod): number | undefined {
  const spec = pod.spec!;
  const users = new Set(
    [...spec.containers, ...(spec.initContainers ?? [])].map(
      ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
    ),
  );
  return users.size === 1 ? [...users][0] : undefined;
}
