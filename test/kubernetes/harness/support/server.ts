import { join } from 'node:path';
import type { Image } from '../../support/kubelet/images';

/** What the containers of these tests run; see test-server.cjs. */
export const SERVER_IMAGE: Image = {
  entrypoint: ['node', '/app/test-server.cjs'],
  files: { '/app': __dirname, '/usr/local/bin/node': join(__dirname, '../../../../node_modules/node/bin/node') },
};

export interface ServerOptions {
  readonly replicas?: number;
  /** Merged over the container. */
  readonly container?: object;
  /** Merged over the pod's spec. */
  readonly pod?: object;
}

/** A Deployment of the server and a Service before it. */
export function serverObjects(name: string, options: ServerOptions = {}): readonly object[] {
  const { replicas = 1, container = {}, pod = {} } = options;
  const labels = { app: name };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'default' },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 10,
            containers: [
              {
                name: 'server',
                image: 'registry.example/test/server:1',
                ports: [{ name: 'http', containerPort: 8080 }],
                readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 1, failureThreshold: 1 },
                ...container,
              },
            ],
            ...pod,
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  ];
}
