/** The user of the images. */
const USER = 65_532;

/** Pod Security "restricted": of pods. */
export const RESTRICTED_POD = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
} as const;

/** Pod Security "restricted", and nothing can be written: of containers. */
export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
} as const;
