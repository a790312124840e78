import { pickerFlags } from './picker-flags';

test('the arguments of the manifests are understood', () => {
  const args = ['--pool-name', 'pool', '--pool-namespace', 'models', '--zap-encoder', 'json'];

  expect(pickerFlags([...args, '--grpc-port', '9102', '--grpc-health-port', '9103'])).toEqual({
    poolNamespace: 'models',
    poolName: 'pool',
    grpcPort: 9102,
    healthPort: 9103,
  });
  expect(pickerFlags(['--pool-name', 'pool'])).toMatchObject({
    poolNamespace: 'default',
    grpcPort: 9002,
    healthPort: 9003,
  });
});

test.each([
  [[], '--pool-name is missing'],
  [['--pool-name', 'pool', '--grpc-port', '99999'], '--grpc-port: "99999" is not a port'],
  [['--pool-name', 'pool', '--grpc-health-port', 'x'], '--grpc-health-port: "x" is not a port'],
  [['--pool-name', 'pool', '--pods', '3'], '--pods'],
])('%j is refused', (args, message) => {
  expect(() => pickerFlags(args)).toThrow(message);
});
