import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Container, V1Pod, V1VolumeMount } from '@kubernetes/client-node';
import type { ProcessPlan } from './container/container-process';
import type { Mount } from './container/container-root';
import { identityOf } from './container/identity';
import { environmentOf } from './environment';
import { expand } from './expand';
import type { ProgramImage } from './images';
import type { PodContext } from './pod-context';
import type { PodVolumes } from './volumes/pod-volumes';

/** Everything that starting a container needs. Rejects with NotYet, or with what is wrong with the container. */
export async function containerPlan(
  context: PodContext,
  container: V1Container,
  image: ProgramImage,
): Promise<ProcessPlan> {
  const { pod, network, volumes, folder } = context;
  const containerFolder = join(folder, 'containers', container.name);
  await mkdir(containerFolder, { recursive: true });
  const identity = identityOf(pod, container, image.user ?? 0);
  const environment = environmentOf(container, {
    pod,
    addresses: context.addresses,
    lookup: context.lookup,
    services: context.services(),
    imageEnvironment: { HOME: identity.user === 0 ? '/root' : '/', ...image.env },
  });
  const mounts = [
    ...(await imageMounts(image)),
    ...(await Promise.all((container.volumeMounts ?? []).map((mount) => volumeMount(mount, volumes, environment)))),
    await terminationLog(container, containerFolder),
  ];
  const hostname = hostnameOf(pod);
  return {
    netns: network.netns!,
    root: { folder: containerFolder, devices: context.devices, hostname, readOnly: identity.readOnlyRoot, mounts },
    etc: {
      hostname: `${hostname}\n`,
      hosts: hosts(pod, hostname, network.ip),
      'resolv.conf': context.resolvConf,
    },
    identity,
    workingDir: container.workingDir ?? image.workingDir ?? '/',
    environment,
    command: commandOf(container, image, environment),
    logFile: context.logFile(container.name),
  };
}

/** Kubernetes' rule: a command replaces entrypoint and cmd, args alone only cmd. */
function commandOf(
  { command, args }: V1Container,
  image: ProgramImage,
  environment: ReadonlyMap<string, string>,
): string[] {
  const given = (words: readonly string[]) => words.map((word) => expand(word, environment));
  const first = command?.length ? given(command) : image.entrypoint;
  const rest = args?.length ? given(args) : command?.length ? [] : (image.cmd ?? []);
  return [...first, ...rest];
}

function imageMounts(image: ProgramImage): Promise<Mount[]> {
  return Promise.all(
    Object.entries(image.files ?? {}).map(async ([target, source]) => ({
      source,
      target,
      file: !(await stat(source)).isDirectory(),
      readOnly: true,
    })),
  );
}

async function volumeMount(
  { name, mountPath, subPath, subPathExpr, readOnly }: V1VolumeMount,
  volumes: PodVolumes,
  environment: ReadonlyMap<string, string>,
): Promise<Mount> {
  const inside = subPathExpr === undefined ? (subPath ?? '') : expand(subPathExpr, environment);
  const path = join(volumes.folder(name), inside);
  // A folder of a volume that a subPath names is made; a file has to be there.
  const source = await realpath(path).catch(async () => {
    await mkdir(path, { recursive: true, mode: 0o777 });
    return path;
  });
  return {
    source,
    target: mountPath,
    file: !(await stat(source)).isDirectory(),
    readOnly: readOnly === true || !volumes.writable(name),
  };
}

export const terminationLogFile = (containerFolder: string) => join(containerFolder, 'termination-log');

async function terminationLog({ terminationMessagePath }: V1Container, containerFolder: string): Promise<Mount> {
  const source = terminationLogFile(containerFolder);
  await writeFile(source, '', { mode: 0o666 });
  return { source, target: terminationMessagePath ?? '/dev/termination-log', file: true, readOnly: false };
}

const hostnameOf = (pod: V1Pod) => (pod.spec?.hostname ?? pod.metadata!.name!).slice(0, 63);

function hosts(pod: V1Pod, hostname: string, ip: string): string {
  const aliases = (pod.spec?.hostAliases ?? []).map((alias) => `${alias.ip}\t${(alias.hostnames ?? []).join('\t')}\n`);
  return `127.0.0.1\tlocalhost\n${ip}\t${hostname}\n${aliases.join('')}`;
}
