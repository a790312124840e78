import type { Context } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { GROUP } from '../names';

const READ = ['get', 'list', 'watch'];

/** What routers read of the config's namespace: none of it is of other tenants. */
const ROUTER_RULES = [
  { apiGroups: [GROUP], resources: ['inferencegatewayconfigs'], verbs: READ },
  { apiGroups: [''], resources: ['configmaps'], verbs: READ },
  {
    apiGroups: ['inference.networking.x-k8s.io', 'llm-d.ai'],
    resources: ['inferencemodelrewrites', 'inferenceobjectives'],
    verbs: READ,
  },
];

/** Pickers read the pods too. */
const PICKER_RULES = [...ROUTER_RULES, { apiGroups: [''], resources: ['pods'], verbs: READ }];

interface Account {
  /** Of the ServiceAccount, the Role and the RoleBinding. */
  readonly name: string;
  /** Of the ServiceAccount; the others are in the config's namespace. */
  readonly namespace: string;
  readonly kind: 'router' | 'picker';
  readonly scheduler?: string;
}

/** A ServiceAccount and what it may do. */
export function account(context: Context, { name, namespace, kind, scheduler }: Account): KubernetesObject[] {
  const { make } = context;
  const labels = scheduler === undefined ? {} : { scheduler };
  const place = { name, namespace: context.namespace, ...labels };
  return [
    // Pods mount a token where they say so themselves.
    make('v1', 'ServiceAccount', { name, namespace, ...labels }, { automountServiceAccountToken: false }),
    make('rbac.authorization.k8s.io/v1', 'Role', place, { rules: kind === 'router' ? ROUTER_RULES : PICKER_RULES }),
    make('rbac.authorization.k8s.io/v1', 'RoleBinding', place, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    }),
  ];
}
