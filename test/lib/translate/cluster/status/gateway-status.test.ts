import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { isAttached } from '../../../../../lib/translate/cluster/status/attachment';
import { gatewayStatus } from '../../../../../lib/translate/cluster/status/gateway-status';
import type { Observed } from '../../../../../lib/translate/cluster/status/observed';
import { invalidGateway } from '../../../../../lib/translate/cluster/translate-gateway';
import type { Problem } from '../../../../../lib/translate/cluster/types';
import { at, config, type Fields, find, INSTALLATION, scheduler, translate } from '../support';

const CONFIG = config([scheduler('llama'), scheduler('qwen')], { endpoint: { type: 'clusterIP' } }, { generation: 3 });
const OBJECT = CONFIG as unknown as KubernetesObject;
const TRANSLATION = translate(CONFIG);
const SCHEDULER = 'inference.sagemaker.aws.amazon.com/scheduler';
const [THEN, NOW] = ['2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z'];

const condition = (type: string, status: string, more: Fields = {}) => ({
  type,
  status,
  reason: type,
  message: type,
  ...more,
});

function deployment(name: string, status: Fields = {}, labels: Record<string, string> = {}): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'models', generation: 1, labels },
    spec: { replicas: 2 },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, ...status },
  };
}

const picker = (of: string, name = TRANSLATION.pickerDeployments.get(of)!, status: Fields = {}) =>
  deployment(name, status, { [SCHEDULER]: of });

const parentRef = { name: 'gateway', namespace: 'system' };
const { gatewayControllerName: controllerName } = INSTALLATION;
const ACCEPTED = condition('Accepted', 'True', { observedGeneration: 2 });

/** As Envoy Gateway has judged it. */
const judged = (object: KubernetesObject, conditions: readonly unknown[] = [ACCEPTED]): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, generation: 2 },
  status:
    object.kind === 'HTTPRoute'
      ? { parents: [{ parentRef, controllerName, conditions }] }
      : { ancestors: [{ ancestorRef: parentRef, controllerName, conditions }] },
});

const attached = TRANSLATION.objects.filter(isAttached).map((object) => judged(object));
/** All that is attached, with one changed or, undefined, away. */
const attachedBut = (
  kind: string,
  name: string,
  change: (object: KubernetesObject) => KubernetesObject | undefined = () => undefined,
) =>
  attached.flatMap((object) =>
    object.kind === kind && object.metadata.name === name ? (change(object) ?? []) : object,
  );

const pod = (name: string, app: string, ready = 'True', status: Fields = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'models', labels: { app } },
  status: { conditions: [condition('Ready', ready)], ...status },
});

const gateway = (conditions: readonly unknown[], listeners: readonly unknown[] = []): KubernetesObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'gateway', namespace: 'system', generation: 2 },
  status: { conditions, listeners },
});

const PROGRAMMED = ['Accepted', 'Programmed'].map((type) => condition(type, 'True', { observedGeneration: 2 }));

const WHOLE: Observed = {
  gateway: gateway(PROGRAMMED),
  attached,
  entrances: [],
  envoys: [deployment('gateway-envoy')],
  router: deployment('gateway-bbr'),
  pickers: [picker('llama'), picker('qwen')],
  pods: [pod('llama-0', 'llama'), pod('qwen-0', 'qwen')],
  certificate: { dnsNames: at(find(TRANSLATION, 'Certificate', 'gateway-tls'), 'spec', 'dnsNames') as string[] },
};

function status(observed: Partial<Observed> = {}, problems: readonly Problem[] = [], object = OBJECT) {
  const translation = { ...TRANSLATION, problems };
  const facts = { object, config: CONFIG, installation: INSTALLATION, translation, now: NOW };
  return gatewayStatus({ ...facts, observed: { ...WHOLE, ...observed } });
}

type Result = ReturnType<typeof status>;
const of = (result: { readonly conditions?: Result['conditions'] } | undefined, type: string) =>
  result?.conditions?.find((one) => one.type === type);
const llama = (result: Result) => result.schedulers?.find(({ name }) => name === 'llama');

test('a gateway whose parts are all there', () => {
  const result = status();
  expect(result.observedGeneration).toBe(3);
  expect(result.conditions?.map(({ type, status: holds }) => [type, holds])).toEqual([
    ['Accepted', 'True'],
    ['Ready', 'True'],
    ['GatewayProgrammed', 'True'],
    ['BBRReady', 'True'],
    ['AdmissionBlocked', 'False'],
  ]);
  expect(result.conditions?.every((one) => one.observedGeneration === 3 && one.lastTransitionTime === NOW)).toBe(true);
  expect(
    result.schedulers?.map(({ name, rolloutState, currentScheduler }) => [name, rolloutState, currentScheduler]),
  ).toEqual([
    ['llama', 'Available', 'llm-d'],
    ['qwen', 'Available', 'llm-d'],
  ]);
  expect(llama(result)?.conditions?.map(({ type, status: holds }) => [type, holds])).toEqual(
    ['Accepted', 'RouteProgrammed', 'PickersReady', 'PodsReady', 'Ready'].map((type) => [type, 'True']),
  );
  expect(status({ certificate: undefined })).not.toHaveProperty('tls');
});

test('the time of a condition is that of its last change', () => {
  const former = {
    conditions: [
      condition('Ready', 'True', { lastTransitionTime: THEN }),
      condition('BBRReady', 'False', { lastTransitionTime: THEN }),
    ],
    schedulers: [{ name: 'llama', conditions: [condition('PodsReady', 'True', { lastTransitionTime: THEN })] }],
  };
  const result = status({}, [], { ...OBJECT, status: former });
  expect(of(result, 'Ready')?.lastTransitionTime).toBe(THEN);
  expect(of(result, 'BBRReady')?.lastTransitionTime).toBe(NOW);
  expect(of(llama(result), 'PodsReady')?.lastTransitionTime).toBe(THEN);
  expect(of(llama(result), 'Accepted')?.lastTransitionTime).toBe(NOW);
});

test('nothing is there yet', () => {
  const result = status({ gateway: undefined, attached: [], envoys: [], router: undefined, pickers: [], pods: [] });
  expect(of(result, 'Accepted')?.status).toBe('True');
  expect(of(result, 'Ready')).toMatchObject({ status: 'False', reason: 'Pending' });
  expect(llama(result)?.rolloutState).toBe('Pending');
});

describe('pods', () => {
  test('a selector that selects none is seen on the scheduler and on the gateway', () => {
    const result = status({ pods: [pod('qwen-0', 'qwen'), pod('done', 'llama', 'False', { phase: 'Succeeded' })] });
    expect(of(llama(result), 'PodsReady')).toMatchObject({ status: 'False', reason: 'NoPodsSelected' });
    expect(of(llama(result), 'Ready')).toMatchObject({ status: 'False', reason: 'NoPodsSelected' });
    expect(of(result, 'Ready')).toMatchObject({
      status: 'True',
      reason: 'SomeSchedulersNotReady',
      message: expect.stringContaining('scheduler llama: Its modelSelector selects no pod'),
    });
  });

  test('some ready are enough, and are counted', () => {
    const result = status({ pods: [pod('a', 'llama', 'False'), pod('b', 'llama'), pod('qwen-0', 'qwen')] });
    expect(of(llama(result), 'PodsReady')).toMatchObject({ status: 'True', message: '1 of 2 pods are ready.' });
  });

  test('without any ready pod of any model the gateway is not ready', () => {
    const result = status({ pods: [pod('a', 'llama', 'False'), pod('b', 'qwen', 'False')] });
    expect(of(result, 'Ready')).toMatchObject({ status: 'False', reason: 'NoSchedulerReady' });
  });
});

describe('the Gateway', () => {
  test.each([
    ['waits to be seen', gateway([]), 'Pending'],
    [
      'was seen before its last change',
      gateway(PROGRAMMED.map((one) => ({ ...one, observedGeneration: 1 }))),
      'Pending',
    ],
    ['is refused', gateway([condition('Accepted', 'False', { reason: 'InvalidParameters' })]), 'InvalidParameters'],
    [
      'has no certificate',
      gateway(PROGRAMMED, [
        { name: 'https', conditions: [condition('ResolvedRefs', 'False', { reason: 'InvalidCertificateRef' })] },
      ]),
      'InvalidCertificateRef',
    ],
  ])('%s', (_, seen, reason) => {
    const result = status({ gateway: seen });
    expect(of(result, 'GatewayProgrammed')).toMatchObject({ status: 'False', reason });
    expect(of(result, 'Ready')).toMatchObject({ status: 'False', reason });
  });

  test('a policy that Envoy Gateway does not take is named', () => {
    const refusal = condition('Accepted', 'False', { message: 'wrong', observedGeneration: 2 });
    const refused = attachedBut('BackendTrafficPolicy', 'gateway', (policy) => judged(policy, [refusal]));
    const result = status({ attached: refused });
    expect(of(result, 'GatewayProgrammed')).toMatchObject({
      reason: 'PolicyNotAccepted',
      message: 'BackendTrafficPolicy system/gateway: wrong',
    });
  });

  test.each([
    ['a policy of the whole gateway', 'SecurityPolicy', 'gateway', 'system'],
    ['the policy of a route', 'SecurityPolicy', 'gateway-health', 'models'],
    ['the route of a scheduler', 'HTTPRoute', 'llama', 'models'],
  ])('%s that Envoy Gateway has not judged as it is now is waited for, by name', (_, kind, name, namespace) => {
    const auth = {
      jwt: {
        provider: {
          name: 'p',
          issuer: 'https://e.example',
          audiences: ['a'],
          remoteJWKS: { uri: 'https://e.example/jwks' },
        },
      },
    };
    const subject = config([scheduler('llama'), scheduler('qwen')], { endpoint: { type: 'clusterIP' }, auth });
    const translation = translate(subject);
    const all = translation.objects.filter(isAttached).map((object) => judged(object));
    const facts = { object: OBJECT, config: subject, installation: INSTALLATION, translation, now: NOW };
    const conditions = (objects: readonly KubernetesObject[]) =>
      gatewayStatus({ ...facts, observed: { ...WHOLE, attached: objects } });
    expect(of(conditions(all), 'GatewayProgrammed')?.status).toBe('True');

    const edited = all.map((object) =>
      object.kind === kind && object.metadata.name === name
        ? { ...object, metadata: { ...object.metadata, generation: 3 } }
        : object,
    );
    const waits = {
      status: 'False',
      reason: 'Pending',
      message: expect.stringContaining(`${kind} ${namespace}/${name} `),
    };
    expect(of(conditions(edited), 'GatewayProgrammed')).toMatchObject(waits);
    expect(of(conditions(edited), 'Ready')).toMatchObject(waits);
  });

  test('a policy that is not there yet is waited for; a route that its scheduler cannot have is its own', () => {
    expect(of(status({ attached: attachedBut('ClientTrafficPolicy', 'gateway') }), 'GatewayProgrammed')).toMatchObject({
      reason: 'Pending',
      message: 'ClientTrafficPolicy system/gateway is not there yet.',
    });
    const result = status({ attached: attachedBut('HTTPRoute', 'llama') });
    expect(of(llama(result), 'RouteProgrammed')).toMatchObject({ status: 'False', reason: 'Pending' });
    expect(of(result, 'Ready')).toMatchObject({ status: 'True', reason: 'SomeSchedulersNotReady' });
  });

  test('a route that it does not take is its scheduler’s', () => {
    const refusal = condition('ResolvedRefs', 'False', { observedGeneration: 2 });
    const refused = attachedBut('HTTPRoute', 'llama', (route) => judged(route, [ACCEPTED, refusal]));
    const result = status({ attached: refused });
    expect(of(llama(result), 'RouteProgrammed')).toMatchObject({ status: 'False', reason: 'RouteNotAccepted' });
    expect(of(result, 'GatewayProgrammed')?.status).toBe('True');
  });
});

describe('routers', () => {
  test.each([
    [2, 'True', 'Available'],
    [1, 'True', 'Degraded'],
    [0, 'False', 'Unavailable'],
  ])('%i of 2', (availableReplicas, holds, reason) => {
    const result = status({ router: deployment('gateway-bbr', { availableReplicas }) });
    expect(of(result, 'BBRReady')).toMatchObject({ status: holds, reason });
  });
});

describe('rollout of pickers', () => {
  const stateOf = (...pickers: readonly KubernetesObject[]) => llama(status({ pickers }))?.rolloutState;
  const wanted = TRANSLATION.pickerDeployments.get('llama')!;
  const progressing = (reason: string, holds = 'True') => [condition('Progressing', holds, { reason })];

  test.each([
    ['all there', [picker('llama')], 'Available'],
    ['the new one is not there', [picker('llama', 'llama-epp-old')], 'Pending'],
    [
      'the new one comes',
      [picker('llama', 'llama-epp-old'), picker('llama', wanted, { availableReplicas: 0 })],
      'Progressing',
    ],
    ['the old one is still there', [picker('llama', 'llama-epp-old'), picker('llama')], 'Progressing'],
    ['its last change is not seen', [picker('llama', wanted, { observedGeneration: 0 })], 'Progressing'],
    [
      'it gets no further',
      [
        picker('llama', wanted, {
          availableReplicas: 0,
          conditions: progressing('ProgressDeadlineExceeded', 'False'),
        }),
      ],
      'Degraded',
    ],
    [
      'it has lost a pod',
      [picker('llama', wanted, { availableReplicas: 1, conditions: progressing('NewReplicaSetAvailable') })],
      'Degraded',
    ],
  ])('%s', (_, pickers, state) => {
    expect(stateOf(...pickers)).toBe(state);
  });

  test('old pickers serve while the new ones come', () => {
    const pickers = [
      picker('llama', 'llama-epp-old'),
      picker('llama', wanted, { availableReplicas: 0 }),
      picker('qwen'),
    ];
    expect(of(llama(status({ pickers })), 'PickersReady')?.status).toBe('True');
  });
});

describe('problems', () => {
  const problem = (fields: Partial<Problem>): Problem => ({
    reason: 'Wrong',
    message: 'is wrong',
    blocks: false,
    ...fields,
  });

  test.each(['Accepted', 'GatewayProgrammed', 'BBRReady'] as const)('make %s false, and Ready with it', (name) => {
    const result = status({}, [problem({ condition: name }), problem({ condition: name, message: 'too' })]);
    expect(of(result, name)).toMatchObject({ status: 'False', reason: 'Wrong', message: 'is wrong; too' });
    expect(of(result, 'Ready')).toMatchObject({ status: 'False', reason: 'Wrong' });
  });

  test('of a scheduler that serves all the same leave it ready, and of one that is left out do not', () => {
    const problems = [problem({ condition: 'Accepted', scheduler: 'llama' })];
    expect(of(llama(status({}, problems)), 'Ready')?.status).toBe('True');
    expect(of(status({}, problems), 'Ready')).toMatchObject({ status: 'True', reason: 'Ready' });

    const pickerDeployments = new Map(TRANSLATION.pickerDeployments);
    pickerDeployments.delete('llama');
    const translation = { ...TRANSLATION, problems, pickerDeployments };
    const facts = { object: OBJECT, config: CONFIG, installation: INSTALLATION, now: NOW, observed: WHOLE };
    const result = gatewayStatus({ ...facts, translation });
    expect(of(llama(result), 'Ready')).toMatchObject({ status: 'False', reason: 'Wrong' });
    expect(of(result, 'Ready')).toMatchObject({ status: 'True', reason: 'SomeSchedulersNotReady' });
  });

  test('of one scheduler are its own, and are named by the gateway', () => {
    const result = status({}, [problem({ condition: 'Accepted', scheduler: 'llama' })]);
    expect(of(llama(result), 'Accepted')).toMatchObject({ status: 'False', reason: 'Wrong' });
    expect(of(result, 'Accepted')).toMatchObject({
      status: 'True',
      reason: 'PartlyAccepted',
      message: 'scheduler llama: is wrong',
    });
  });

  test('that only warn are told by the condition, whether it holds or not', () => {
    const warning = problem({ condition: 'Accepted', warns: true });
    const valid = 'The configuration is valid.';
    expect(of(status({}, [warning]), 'Accepted')).toMatchObject({
      status: 'True',
      reason: 'Accepted',
      message: `${valid} Warning: is wrong.`,
    });
    expect(of(status({}, [{ ...warning, condition: 'GatewayProgrammed' }]), 'GatewayProgrammed')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/^Envoys serve .* Warning: is wrong\.$/),
    });
    const refused = problem({ condition: 'Accepted', message: 'is worse' });
    expect(of(status({}, [warning, refused]), 'Accepted')).toMatchObject({
      status: 'False',
      message: 'is worse. Warning: is wrong.',
    });
    const absent = status({ gateway: undefined }, [{ ...warning, condition: 'GatewayProgrammed' }]);
    expect(of(absent, 'Ready')?.message).toBe('The Gateway is not there yet. Warning: is wrong.');
  });

  test('without a condition change none', () => {
    expect(status({}, [problem({})])).toEqual(status());
  });
});

describe('a load balancer', () => {
  const entrance = (kind: string, ingress: readonly Fields[] = []): KubernetesObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'gateway-envoy', namespace: 'system' },
    status: { loadBalancer: { ingress } },
  });
  const programmed = (type: string, entrances: readonly KubernetesObject[]) => {
    const subject = config([scheduler('llama')], { endpoint: { type } }, { generation: 3 });
    const observed = { ...WHOLE, entrances };
    const facts = { object: OBJECT, config: subject, installation: INSTALLATION, translation: TRANSLATION, now: NOW };
    return of(gatewayStatus({ ...facts, observed }), 'GatewayProgrammed');
  };
  const there = [{ hostname: 'lb.example' }];

  test.each([
    ['nlb', 'Service'],
    ['alb', 'Ingress'],
  ])('of type %s that has no address yet is said, and who makes it', (type, kind) => {
    expect(programmed(type, [entrance('Ingress'), entrance('Service')])).toMatchObject({
      status: 'False',
      reason: 'LoadBalancerPending',
      message: expect.stringMatching(new RegExp(`^${kind} system/gateway-envoy .*AWS Load Balancer Controller`)),
    });
    expect(programmed(type, [entrance(kind, there)])?.status).toBe('True');
  });

  test('that is not asked for is not missed', () => {
    expect(programmed('clusterIP', [entrance('Service')])?.status).toBe('True');
  });
});

describe('AdmissionBlocked', () => {
  test('where the API server takes no pods of a Deployment', () => {
    const refused = { conditions: [condition('ReplicaFailure', 'True', { message: 'exceeded quota' })] };
    const result = status({ pickers: [picker('llama', undefined, refused), picker('qwen')] });
    expect(of(result, 'AdmissionBlocked')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('exceeded quota'),
    });
    expect(llama(result)?.rolloutState).toBe('Degraded');
  });

  test('where it refused an object', () => {
    const refusal: Problem = { condition: 'Ready', reason: 'Refused', message: 'Service: denied', blocks: false };
    expect(of(status({}, [refusal]), 'AdmissionBlocked')).toMatchObject({ status: 'True', message: 'Service: denied' });
  });
});

test('of an invalid config the schedulers stay as they were', () => {
  const schedulers = [{ name: 'llama', rolloutState: 'Available' }];
  const object = { ...OBJECT, status: { schedulers } };
  const result = gatewayStatus({
    object,
    config: undefined,
    installation: INSTALLATION,
    translation: invalidGateway(['spec.bbr: is required']),
    observed: WHOLE,
    now: NOW,
  });
  expect(of(result, 'Accepted')).toMatchObject({
    status: 'False',
    reason: 'Invalid',
    message: 'spec.bbr: is required',
  });
  expect(result.schedulers).toEqual(schedulers);
});

test('the imported certificate is told', () => {
  const certificate = { ...WHOLE.certificate, acmArn: 'arn', issuedAt: THEN };
  expect(status({ certificate }).tls).toEqual(certificate);
});
