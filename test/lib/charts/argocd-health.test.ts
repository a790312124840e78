import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runHealthScript } from './lua';

const FILE = join(__dirname, '../../../deploy/argocd/argocd-cm.yaml');
const { data } = parse(readFileSync(FILE, 'utf8')) as { data: Record<string, string> };
const healthOf = (kind: string, object: unknown) =>
  runHealthScript(data[`resource.customizations.health.${kind}`] ?? '', object);

describe('InferenceGatewayConfig', () => {
  const condition = (type: string, status: string, message = '') => ({ type, status, message });
  const health = (status: unknown) =>
    healthOf('inference.sagemaker.aws.amazon.com_InferenceGatewayConfig', { metadata: { generation: 3 }, status });

  test('nobody has looked at it yet', async () => {
    const unseen = { status: 'Progressing', message: 'The controller has not seen this change yet' };

    expect(await health(undefined)).toEqual(unseen);
    expect(await health({ observedGeneration: 2, conditions: [condition('Ready', 'True')] })).toEqual(unseen);
  });

  test.each([
    ['it is ready', [condition('Accepted', 'True'), condition('Ready', 'True', 'All good')], [], 'Healthy', 'All good'],
    ['parts are on their way', [condition('Ready', 'False', 'No router yet')], [], 'Progressing', 'No router yet'],
    ['nothing is known', [], [], 'Progressing', 'The gateway is being made'],
    ['it is refused', [condition('Accepted', 'False', 'Name taken')], [], 'Degraded', 'Name taken'],
    [
      'its changes are blocked',
      [condition('AdmissionBlocked', 'True', 'Fix spec'), condition('Ready', 'True')],
      [],
      'Degraded',
      'Fix spec',
    ],
    [
      'a scheduler is degraded',
      [condition('AdmissionBlocked', 'False'), condition('Ready', 'True')],
      [
        { name: 'a', rolloutState: 'Available' },
        { name: 'b', rolloutState: 'Degraded' },
      ],
      'Degraded',
      'Scheduler b is degraded',
    ],
  ])('%s', async (_, conditions, schedulers, status, message) => {
    expect(await health({ observedGeneration: 3, conditions, schedulers })).toEqual({ status, message });
  });
});

describe('InferencePool', () => {
  const health = (status: unknown) => healthOf('inference.networking.k8s.io_InferencePool', { status });
  const parent = (...conditions: unknown[]) => ({ conditions });

  test.each([
    ['without a gateway that reports on it', undefined, 'Healthy'],
    ['accepted', { parents: [parent({ type: 'Accepted', status: 'True' })] }, 'Healthy'],
    ['not decided', { parents: [parent({ type: 'Accepted', status: 'Unknown' })] }, 'Progressing'],
    [
      'accepted without its picker',
      { parents: [parent({ type: 'Accepted', status: 'True' }, { type: 'ResolvedRefs', status: 'False' })] },
      'Degraded',
    ],
  ])('%s', async (_, status, expected) => {
    expect(await health(status)).toMatchObject({ status: expected });
  });
});

describe('Application', () => {
  const health = (status: unknown) => healthOf('argoproj.io_Application', { status });

  test('it is as healthy as what it holds', async () => {
    expect(await health({ health: { status: 'Degraded', message: 'x' } })).toEqual({
      status: 'Degraded',
      message: 'x',
    });
    expect(await health(undefined)).toEqual({ status: 'Progressing', message: '' });
  });
});
