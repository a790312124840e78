import { containerResources, ROUTER_RESOURCES } from '../../../../../lib/translate/cluster/pods/container-resources';

test.each([
  ['nothing', undefined, ROUTER_RESOURCES],
  ['requests', { requests: { cpu: '2' } }, { requests: { cpu: '2', memory: '512Mi' }, limits: { memory: '4Gi' } }],
  [
    'a limit of something else',
    { limits: { cpu: '2' } },
    { requests: { memory: '512Mi' }, limits: { cpu: '2', memory: '4Gi' } },
  ],
  [
    'more than the usual limit',
    { requests: { memory: '6Gi' } },
    { requests: { memory: '6Gi' }, limits: { memory: '6Gi' } },
  ],
  [
    'a number of bytes',
    { requests: { memory: 8_000_000_000 } },
    { requests: { memory: 8_000_000_000 }, limits: { memory: 8_000_000_000 } },
  ],
  ['a limit', { limits: { memory: '1Gi' } }, { limits: { memory: '1Gi' } }],
])('there is always a limit of memory: given %s', (_, given, expected) => {
  expect(containerResources(given, ROUTER_RESOURCES)).toEqual(expected);
});
