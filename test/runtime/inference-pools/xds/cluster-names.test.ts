import { NO_PICKER, pickerCluster, poolCluster } from '../../../../runtime/inference-pools/xds/cluster-names';
import { picked, unpicked } from '../support/pools';

test('pools whose picker is the same ask by one cluster', () => {
  const service = { name: 'shared', port: 9002 };

  const names = ['alpha', 'beta'].map((name) => pickerCluster(picked(name, { service })));

  expect(names).toEqual(Array(2).fill('inference-gateway/endpoint-picker/models/shared/9002'));
});

test('each Service of a namespace, and each of its ports, is another picker', () => {
  const names = [
    picked('alpha'),
    { ...picked('alpha'), namespace: 'far' },
    picked('beta'),
    picked('alpha', { service: { name: 'alpha-epp', port: 9003 } }),
  ].map(pickerCluster);

  expect(new Set([...names, NO_PICKER]).size).toBe(5);
});

test('a pool without a picker has no such cluster, and one whose picker cannot be asked has that of nobody', () => {
  const { service: _, ...picker } = picked('alpha').picker!;

  expect(pickerCluster(unpicked('alpha'))).toBeUndefined();
  expect(pickerCluster({ ...unpicked('alpha'), picker })).toBe(NO_PICKER);
});

test('a pool has a cluster of its own in each rule', () => {
  expect(poolCluster('httproute/models/chat/rule/0', unpicked('alpha'))).toBe(
    'httproute/models/chat/rule/0/inference-pool/models/alpha',
  );
});
