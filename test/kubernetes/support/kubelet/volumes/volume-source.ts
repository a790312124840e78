import type {
  V1ConfigMapVolumeSource,
  V1DownwardAPIVolumeFile,
  V1KeyToPath,
  V1SecretVolumeSource,
  V1Volume,
} from '@kubernetes/client-node';

/** A part of a volume of files. */
export type FileSource =
  | {
      readonly kind: 'secret' | 'configMap';
      readonly name: string;
      readonly items: readonly V1KeyToPath[] | undefined;
      readonly optional: boolean;
    }
  | { readonly kind: 'downwardAPI'; readonly items: readonly V1DownwardAPIVolumeFile[] }
  | { readonly kind: 'token'; readonly path: string; readonly audience: string | undefined; readonly seconds: number };

export interface FileVolume {
  readonly sources: readonly FileSource[];
  readonly defaultMode: number;
}

/** A volume that consists of files, as its parts; undefined for an empty folder. */
export function fileVolume(volume: V1Volume): FileVolume | undefined {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (secret !== undefined) return whole(secret, [keyed('secret', secret.secretName, secret)]);
  if (configMap !== undefined) return whole(configMap, [keyed('configMap', configMap.name, configMap)]);
  if (downwardAPI !== undefined) return whole(downwardAPI, [{ kind: 'downwardAPI', items: downwardAPI.items ?? [] }]);
  if (projected === undefined) return undefined;
  return whole(
    projected,
    (projected.sources ?? []).flatMap((source): FileSource[] => {
      if (source.secret) return [keyed('secret', source.secret.name, source.secret)];
      if (source.configMap) return [keyed('configMap', source.configMap.name, source.configMap)];
      if (source.downwardAPI) return [{ kind: 'downwardAPI', items: source.downwardAPI.items ?? [] }];
      const token = source.serviceAccountToken;
      if (token === undefined) return [];
      const { path, audience } = token;
      return [{ kind: 'token', path, audience, seconds: token.expirationSeconds ?? 3600 }];
    }),
  );
}

const whole = ({ defaultMode = 0o644 }: { defaultMode?: number }, sources: readonly FileSource[]): FileVolume => ({
  sources,
  defaultMode,
});

function keyed(
  kind: 'secret' | 'configMap',
  name: string | undefined,
  { items, optional }: Pick<V1SecretVolumeSource & V1ConfigMapVolumeSource, 'items' | 'optional'>,
): FileSource {
  return { kind, name: name ?? '', items, optional: optional ?? false };
}
