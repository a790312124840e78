import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { when } from './template/choice';
import type { CompleteInstallValues } from './values/install-values';

/** Who may connect to which ports; no `peers`: everybody. */
interface IngressRule {
  readonly ports: readonly number[];
  readonly peers?: readonly unknown[] | undefined;
}

interface PolicyProps {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the pods that it is about. */
  readonly selector: Readonly<Record<string, string>>;
  readonly ingress: readonly IngressRule[];
}

/** Nobody else may connect to these pods. */
export function networkPolicy(scope: Construct, id: string, props: PolicyProps): void {
  const { name, namespace, labels, selector, ingress } = props;
  new ApiObject(scope, id, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: ingress.map(({ ports, peers }) => ({
        ports: ports.map((port) => ({ protocol: 'TCP', port })),
        from: peers,
      })),
    },
  });
}

/** Who may read metrics pages: everybody, or the pods of one namespace. */
export function metricsReaders({ monitoring }: CompleteInstallValues): readonly unknown[] | undefined {
  const { namespace } = monitoring;
  return when(namespace, [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }]);
}
