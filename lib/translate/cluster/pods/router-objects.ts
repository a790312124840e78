import type { Context } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { COMPONENT_LABEL, gatewayLabels, PORTS } from '../names';
import { ROUTER_RESOURCES } from './container-resources';
import { disruptionBudget } from './disruption-budget';
import { account } from './permissions';
import { anyAddress, certificateFlags, objectFlags, podTemplate } from './pod-template';

/** Responses that a router follows may take long; what it has not ended by then goes on without it. Seconds. */
const DRAIN_SECONDS = 120;

/** Above the drain time-out. Seconds. */
const GRACE_SECONDS = DRAIN_SECONDS + 10;

/** How routers reach the pickers of a scheduler; the first part of the host is shortened as names of Services are. */
const PICKER_SERVICE = `{name}-epp.{namespace}.svc:${PORTS.picker}`;

/** Labels of the routers of one gateway, by which they are found. */
export function routerPodLabels({ config, names }: Context): Readonly<Record<string, string>> {
  return { app: names.router, [COMPONENT_LABEL]: 'router', ...gatewayLabels(config) };
}

/** Everything that the routers of a gateway are. */
export function routerObjects(context: Context): KubernetesObject[] {
  const { config, installation, names, make } = context;
  const place = { name: names.router, namespace: installation.systemNamespace };
  const labels = routerPodLabels(context);
  const { app } = labels;
  const host = anyAddress(context);
  const template = podTemplate(context, {
    name: 'router',
    serviceAccount: names.router,
    labels,
    apart: labels,
    args: [
      'router',
      ...objectFlags(context),
      `--listen=${host}:${PORTS.router}`,
      `--metrics=${host}:${PORTS.metrics}`,
      `--picker-service=${PICKER_SERVICE}`,
      ...certificateFlags('serve-'),
      ...certificateFlags(''),
      `--drain-timeout=${DRAIN_SECONDS}s`,
    ],
    ports: [{ name: 'ext-proc', containerPort: PORTS.router }],
    certificate: names.routerCertificate,
    resources: ROUTER_RESOURCES,
    gracePeriod: GRACE_SECONDS,
  });
  return [
    ...account(context, { ...place, kind: 'router' }),
    make(
      'apps/v1',
      'Deployment',
      { ...place, labels: { app: app ?? '' } },
      {
        spec: {
          replicas: config.spec.bbr.replicas,
          selector: { matchLabels: labels },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
          template,
        },
      },
    ),
    make('v1', 'Service', place, {
      spec: {
        selector: labels,
        ports: [{ name: 'ext-proc', port: PORTS.router, targetPort: 'ext-proc', protocol: 'TCP' }],
      },
    }),
    disruptionBudget(context, place, labels),
  ];
}
