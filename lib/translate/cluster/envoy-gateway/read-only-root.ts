/**
 * Envoy Gateway leaves the file system of its pods writable, for one file by which the drain is told to be over. A
 * volume for that file, and nothing else can be written.
 */
export function readOnlyRoot() {
  const securityContext = { readOnlyRootFilesystem: true };
  return {
    type: 'StrategicMerge',
    value: {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'envoy', securityContext },
              {
                name: 'shutdown-manager',
                securityContext,
                volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
              },
            ],
            volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
          },
        },
      },
    },
  };
}
