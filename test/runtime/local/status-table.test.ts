import type { PoolStatus } from '../../../runtime/endpoint-picker/status';
import { statusTable } from '../../../runtime/local/status-table';

const pools: PoolStatus[] = [
  {
    scheduler: 'default/llama',
    pods: [
      {
        address: '10.0.0.1:8000',
        pod: 'default/llama-0',
        ready: true,
        metrics: 'fresh',
        kvUsage: 0.426,
        waiting: 3,
        running: 12,
        adapters: ['sql', 'tone'],
        inFlight: 15,
        picks: 120,
      },
      { address: '10.0.0.2:8000', pod: 'default/l-1', ready: false, metrics: 'never', inFlight: 0, picks: 0 },
    ],
  },
];

test('shows each pool with its pods in aligned columns', () => {
  expect(statusTable(pools).split('\n')).toEqual([
    'POD                STATE      KV    QUEUE  RUNNING  IN FLIGHT  PICKS  ADAPTERS',
    'default/llama:',
    '  default/llama-0  fresh      43 %  3      12       15         120    sql tone',
    '  default/l-1      not ready  -     -      -        0          0      -',
  ]);
});

test('tells why a pod gets no requests, or fewer', () => {
  const [pool] = pools;
  const [one] = pool!.pods;
  const states = [
    { ...one!, excluded: 'timeout' as const },
    { ...one!, ramping: true as const },
  ];
  const lines = statusTable([{ ...pool!, pods: states }]).split('\n');
  expect(lines.map((line) => line.split(/ {2,}/)[2])).toEqual(['KV', undefined, 'out: timeout', 'fresh, ramping']);
});

test('shows the heading alone while there are no pools', () => {
  expect(statusTable([])).toBe('POD  STATE  KV  QUEUE  RUNNING  IN FLIGHT  PICKS  ADAPTERS');
});
