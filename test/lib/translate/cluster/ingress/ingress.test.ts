import { internalCertificates } from '../../../../../lib/translate/cluster/ingress/internal-certificates';
import { at, config, find, INSTALLATION, ofKind, scheduler, translate, WORLD } from '../support';

const ARN = 'arn:aws:acm:us-east-1:123456789012:certificate/1';
const TARGET_GROUP = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/llm/1';
const with_ = (spec: object) => config([scheduler('llama')], { ...spec });
const service = (spec: object) =>
  at(find(translate(with_(spec)), 'EnvoyProxy', 'gateway'), 'spec', 'provider', 'kubernetes', 'envoyService') as {
    readonly type: string;
    readonly loadBalancerClass?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
const NLB = 'service.beta.kubernetes.io/aws-load-balancer-';
const ALB = 'alb.ingress.kubernetes.io/';

describe('how clients reach the gateway', () => {
  test('with an issued certificate by an internal Network Load Balancer that passes TLS through', () => {
    const { type, loadBalancerClass, annotations } = service({});
    expect([type, loadBalancerClass]).toEqual(['LoadBalancer', 'service.k8s.aws/nlb']);
    expect(annotations).toMatchObject({
      [`${NLB}scheme`]: 'internal',
      [`${NLB}nlb-target-type`]: 'ip',
      [`${NLB}listener-attributes.TCP-443`]: 'tcp.idle_timeout.seconds=3600',
    });
    expect(annotations).not.toHaveProperty([`${NLB}ssl-cert`]);
    expect(ofKind(translate(with_({})), 'Ingress')).toEqual([]);
  });

  test('with a certificate of ACM by an internal Application Load Balancer, encrypted to Envoy', () => {
    const translation = translate(with_({ tls: { acmArn: ARN } }));
    const [ingress] = ofKind(translation, 'Ingress');
    expect(ingress?.metadata.annotations).toMatchObject({
      [`${ALB}scheme`]: 'internal',
      [`${ALB}certificate-arn`]: ARN,
      [`${ALB}backend-protocol`]: 'HTTPS',
      [`${ALB}load-balancer-attributes`]: 'idle_timeout.timeout_seconds=620',
      [`${ALB}tags`]: 'CreatedBy=HyperPodInference',
    });
    expect(service({ tls: { acmArn: ARN } })).toEqual({ name: 'gateway-envoy', type: 'ClusterIP' });
    const { spec } = find(translation, 'ClientTrafficPolicy', 'gateway');
    expect(at(spec, 'clientIPDetection')).toEqual({ xForwardedFor: { numTrustedHops: 1 } });
  });

  test('an empty acmArn is none', () => {
    expect(service({ tls: { acmArn: '' } }).type).toBe('LoadBalancer');
  });

  test('a certificate of ACM on a Network Load Balancer is accepted with a warning', () => {
    const spec = { tls: { acmArn: ARN }, endpoint: { type: 'nlb' } };
    expect(service(spec).annotations).toMatchObject({ [`${NLB}ssl-cert`]: ARN, [`${NLB}backend-protocol`]: 'ssl' });
    expect(service(spec).annotations).not.toHaveProperty([`${NLB}listener-attributes.TCP-443`]);
    const { problems } = translate(with_(spec));
    expect(problems.filter(({ reason }) => reason === 'ShortIdleTimeout')).toMatchObject([
      { condition: 'Accepted', warns: true, message: expect.stringContaining('350 s'), blocks: false },
    ]);
    expect(problems.every(({ condition, warns }) => condition === undefined || warns)).toBe(true);
  });

  test('by a load balancer that is there: its target group is bound, and none is made', () => {
    const translation = translate(with_({ endpoint: { targetGroupArn: TARGET_GROUP } }));
    const [binding] = ofKind(translation, 'TargetGroupBinding');
    expect(binding?.spec).toEqual({
      targetGroupARN: TARGET_GROUP,
      targetType: 'ip',
      serviceRef: { name: 'gateway-envoy', port: 443 },
    });
    expect(service({ endpoint: { targetGroupArn: TARGET_GROUP } }).type).toBe('ClusterIP');
  });

  test('only of a load balancer that is surely an Application Load Balancer is it believed who the client is', () => {
    const believed = (spec: object) =>
      at(find(translate(with_(spec)), 'ClientTrafficPolicy', 'gateway'), 'spec', 'clientIPDetection') !== undefined;
    expect(believed({ endpoint: { type: 'alb' } })).toBe(true);
    expect(believed({})).toBe(false);
    for (const tls of [{}, { acmArn: ARN }]) {
      expect(believed({ endpoint: { targetGroupArn: TARGET_GROUP }, tls })).toBe(false);
    }
  });

  test('another target group has another binding: the group of one cannot be changed', () => {
    const names = [TARGET_GROUP, `${TARGET_GROUP}2`, TARGET_GROUP].map(
      (targetGroupArn) =>
        ofKind(translate(with_({ endpoint: { targetGroupArn } })), 'TargetGroupBinding')[0]!.metadata.name,
    );
    expect(names[0]).toBe(names[2]);
    expect(names[1]).not.toBe(names[0]);
  });

  test('annotations of the config win', () => {
    const annotations = { [`${NLB}scheme`]: 'internet-facing', [`${NLB}subnets`]: 'a,b' };
    expect(service({ endpoint: { annotations } }).annotations).toMatchObject(annotations);
  });
});

describe('the certificate', () => {
  const names = (spec: object, world = {}) =>
    at(find(translate(with_(spec), world), 'Certificate', 'gateway-tls'), 'spec', 'dnsNames');

  test('is issued by an authority of the gateway, for its names in the cluster', () => {
    const translation = translate(with_({}));
    expect(names({})).toEqual([
      'gateway-envoy.system.svc',
      'gateway-envoy.system.svc.cluster.local',
      'gateway-envoy.system',
    ]);
    expect(at(find(translation, 'Certificate', 'gateway-tls'), 'spec', 'issuerRef', 'name')).toBe('gateway-ca');
    expect(ofKind(translation, 'Issuer').map(({ metadata }) => metadata.name)).toEqual([
      'gateway-ca',
      'gateway-selfsigned',
    ]);
    // By its labels the Secret is known as the gateway's, also where cert-manager is no longer asked for it.
    const { metadata, spec } = find(translation, 'Certificate', 'gateway-tls');
    expect(at(spec, 'secretTemplate', 'labels')).toEqual(metadata.labels);
  });

  test('is issued again for the load balancer, and for names of the config', () => {
    const all = names(
      { tls: { dnsNames: ['llm.example.com'] } },
      { loadBalancerHostname: 'Internal-A.elb.amazonaws.com' },
    ) as string[];
    expect(all.slice(3)).toEqual(['internal-a.elb.amazonaws.com', 'llm.example.com']);
  });

  test('may be another issuer’s', () => {
    const translation = translate(with_({ tls: { issuerRef: { name: 'corporate' } } }));
    expect(at(find(translation, 'Certificate', 'gateway-tls'), 'spec', 'issuerRef')).toEqual({
      name: 'corporate',
      kind: 'ClusterIssuer',
      group: 'cert-manager.io',
    });
    expect(ofKind(translation, 'Issuer')).toEqual([]);
  });

  test('its authority stays published while cert-manager is away', () => {
    const away = translate(with_({}), { certificateAuthority: 'PEM', certManager: false });
    expect(find(away, 'ConfigMap', 'gateway-ca')).toMatchObject({ data: { 'ca.crt': 'PEM' } });
    expect(ofKind(away, 'Certificate')).toEqual([]);
    const given = translate(with_({ tls: { acmArn: ARN } }), { certificateAuthority: 'PEM' });
    expect(ofKind(given, 'ConfigMap').map(({ metadata }) => metadata.name)).not.toContain('gateway-ca');
  });

  test('its authority is published where clients may read it', () => {
    const translation = translate(with_({}), { certificateAuthority: 'PEM' });
    expect(find(translation, 'ConfigMap', 'gateway-ca')).toMatchObject({
      metadata: { namespace: 'models' },
      data: { 'ca.crt': 'PEM' },
    });
  });

  test('of ACM is asked of nobody', () => {
    const translation = translate(with_({ tls: { acmArn: ARN } }));
    expect([...ofKind(translation, 'Certificate'), ...ofKind(translation, 'Issuer')]).toEqual([]);
  });
});

describe('what is not installed is said, and not asked for', () => {
  const bare = { certManager: false, loadBalancerController: false };
  const reasons = (spec: object, world: object = bare) =>
    translate(with_(spec), world)
      .problems.filter(({ condition }) => condition === 'GatewayProgrammed')
      .map(({ reason }) => reason);

  test('cert-manager and the load balancer controller', () => {
    expect(reasons({})).toEqual(['CertManagerMissing', 'LoadBalancerControllerMissing']);
    expect(reasons({ endpoint: { type: 'clusterIP' } })).toEqual(['CertManagerMissing']);
    expect(reasons({ tls: { acmArn: ARN }, endpoint: { type: 'clusterIP' } })).toEqual([]);
    expect(reasons({ tls: { acmArn: ARN }, endpoint: { targetGroupArn: TARGET_GROUP } })).toEqual([
      'LoadBalancerControllerMissing',
    ]);
    const kinds = translate(with_({ endpoint: { targetGroupArn: TARGET_GROUP } }), bare).objects.map(
      ({ kind }) => kind,
    );
    for (const kind of ['Certificate', 'Issuer', 'TargetGroupBinding']) expect(kinds).not.toContain(kind);
  });

  test('an Application Load Balancer waits for the certificate that is issued', () => {
    const alb = { endpoint: { type: 'alb' } };
    expect(reasons(alb, {})).toEqual(['CertificatePending']);
    expect(reasons(alb, { importedCertificateArn: ARN })).toEqual([]);
    const [ingress] = ofKind(translate(with_(alb), { importedCertificateArn: ARN }), 'Ingress');
    expect(ingress?.metadata.annotations).toMatchObject({ [`${ALB}certificate-arn`]: ARN });
  });
});

test('the certificates inside are those that the pods mount and the policies name', () => {
  const subject = with_({ tls: { acmArn: ARN } });
  const { objects } = translate(subject);
  const text = JSON.stringify(objects);
  const inside = internalCertificates(subject, INSTALLATION, WORLD);
  expect(inside.map(({ namespace, name, client }) => [namespace, name, client])).toEqual([
    ['system', 'gateway-envoy-cert', true],
    ['system', 'gateway-bbr-cert', true],
    ['models', 'gateway-epp-cert', false],
    ['system', 'gateway-tls', false],
  ]);
  for (const { name } of inside) expect(text).toContain(JSON.stringify(name));
  const hostname = at(find({ objects }, 'BackendTLSPolicy', 'gateway-bbr'), 'spec', 'validation', 'hostname');
  expect(inside[1]?.dnsNames).toContain(hostname);
  expect(internalCertificates(with_({}), INSTALLATION, WORLD)).toHaveLength(3);
});
