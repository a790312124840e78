import { stringify } from 'yaml';

export interface Access {
  readonly server: string;
  /** PEM of the authority. */
  readonly ca: string;
  readonly token: string;
}

/** A kubeconfig file for one cluster and one user. */
export function kubeconfig({ server, ca, token }: Access): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  });
}
