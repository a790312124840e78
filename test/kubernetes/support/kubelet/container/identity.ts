import type { V1Container, V1Pod } from '@kubernetes/client-node';

/** What a container's process is allowed: from the pod's, the container's and the image's settings. */
export interface Identity {
  readonly user: number;
  readonly group: number;
  readonly groups: readonly number[];
  readonly noNewPrivileges: boolean;
  /** Loses every capability but these; undefined: keeps all. */
  readonly capabilities: readonly string[] | undefined;
  readonly readOnlyRoot: boolean;
}

/** Throws where the pod asks for a user that is not root, and would get root. */
export function identityOf(pod: V1Pod, container: V1Container, imageUser: number): Identity {
  const ofPod = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  const user = own.runAsUser ?? ofPod.runAsUser ?? imageUser;
  if ((own.runAsNonRoot ?? ofPod.runAsNonRoot) === true && user === 0) {
    throw new Error('container has runAsNonRoot and image will run as root');
  }
  return {
    user,
    group: own.runAsGroup ?? ofPod.runAsGroup ?? 0,
    groups: [...(ofPod.supplementalGroups ?? []), ...(ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup])],
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    capabilities: own.capabilities?.drop?.includes('ALL') ? (own.capabilities.add ?? []) : undefined,
    readOnlyRoot: own.readOnlyRootFilesystem === true,
  };
}

/** The command that becomes such a process and then runs what follows it. */
export function becomeArguments(identity: Identity): readonly string[] {
  const { user, group, groups, noNewPrivileges, capabilities } = identity;
  return [
    ...['setpriv', `--reuid=${user}`, `--regid=${group}`],
    groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
    ...(noNewPrivileges ? ['--no-new-privs'] : []),
    ...(capabilities === undefined ? [] : [`--bounding-set=${kept(capabilities)}`, '--inh-caps=-all']),
  ];
}

/** In setpriv's words: `-all,+net_bind_service`. */
const kept = (capabilities: readonly string[]) =>
  ['-all', ...capabilities.map((name) => `+${name.toLowerCase()}`)].join(',');
