import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import { type VolumeFile, writeAtomically } from './atomic-files';
import { type FilesContext, volumeFiles, volumeOwner } from './volume-files';
import { fileVolume } from './volume-source';

/** The volumes of one pod, as folders of this machine. */
export interface PodVolumes {
  folder(name: string): string;
  /** Only an empty folder can be written to. */
  writable(name: string): boolean;
  /** Writes what has changed; `pod` may have other labels by now. Rejects with NotYet where something is missing. */
  refresh(pod: V1Pod): Promise<void>;
}

export async function makeVolumes(base: string, context: FilesContext): Promise<PodVolumes> {
  const volumes = context.pod.spec?.volumes ?? [];
  const written = new Map<string, ReadonlyMap<string, VolumeFile>>();
  const folder = (name: string) => join(base, name);
  let version = 0;

  for (const volume of volumes) {
    await mkdir(folder(volume.name), { recursive: true });
    if (volume.emptyDir !== undefined) await openToAll(folder(volume.name), context.pod);
  }
  return {
    folder,
    writable: (name) => volumes.find((volume) => volume.name === name)?.emptyDir !== undefined,
    async refresh(pod) {
      for (const volume of volumes) {
        const source = fileVolume(volume);
        if (source === undefined) continue;
        const files = await volumeFiles(source, { ...context, pod });
        if (sameFiles(files, written.get(volume.name))) continue;
        version += 1;
        await writeAtomically(folder(volume.name), files, volumeOwner(pod), version);
        written.set(volume.name, files);
      }
    },
  };
}

async function openToAll(folder: string, pod: V1Pod): Promise<void> {
  const group = pod.spec?.securityContext?.fsGroup;
  if (group !== undefined) await chown(folder, 0, group);
  await chmod(folder, group === undefined ? 0o777 : 0o2777);
}

function sameFiles(a: ReadonlyMap<string, VolumeFile>, b: ReadonlyMap<string, VolumeFile> | undefined): boolean {
  if (b === undefined || a.size !== b.size) return false;
  return [...a].every(([path, { data }]) => b.get(path)?.data.equals(data));
}
