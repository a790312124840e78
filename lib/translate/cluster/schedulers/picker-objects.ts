import type { Context, Scheduler } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { COMPONENT_LABEL, gatewayLabels, PORTS, SCHEDULER_LABEL, SPEC_HASH_LABEL, schedulerNames } from '../names';
import { PICKER_RESOURCES } from '../pods/container-resources';
import { disruptionBudget } from '../pods/disruption-budget';
import { account } from '../pods/permissions';
import { anyAddress, certificateFlags, objectFlags, podTemplate } from '../pods/pod-template';
import { hashOf, shortName } from '../short-name';

/** A picker says goodbye to its routers at once, which then ask another. Seconds. */
const DRAIN_SECONDS = 30;

/** Above the drain time-out. Seconds. */
const GRACE_SECONDS = DRAIN_SECONDS + 10;

/** By `logLevel` of a scheduler. */
const LOG_LEVELS = ['error', 'warn', 'info', 'info', 'debug', 'trace'] as const;

/** Labels of the pickers of a scheduler, of any spec. */
function pickerPodLabels({ config }: Pick<Context, 'config'>, scheduler: Scheduler): Readonly<Record<string, string>> {
  return {
    app: schedulerNames(scheduler).picker,
    [COMPONENT_LABEL]: 'picker',
    ...gatewayLabels(config),
    [SCHEDULER_LABEL]: scheduler.name,
  };
}

/**
 * Everything that the pickers of a scheduler are, the Deployment first. Its name tells its pods' template: another
 * template makes another Deployment beside it, and the old one serves until the new one does.
 */
export function pickerObjects(
  context: Context,
  scheduler: Scheduler,
): readonly [KubernetesObject, ...KubernetesObject[]] {
  const { namespace, make } = context;
  const { picker } = schedulerNames(scheduler);
  const labels = pickerPodLabels(context, scheduler);
  const template = pickerTemplate(context, scheduler, labels);
  const hash = hashOf(JSON.stringify(template));
  const own = { ...labels, [SPEC_HASH_LABEL]: hash };
  const place = { name: picker, namespace, scheduler: scheduler.name };
  return [
    make(
      'apps/v1',
      'Deployment',
      { ...place, name: shortName(scheduler.name, `epp-${hash}`), labels: own },
      {
        spec: {
          replicas: scheduler.replicas,
          selector: { matchLabels: own },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
          template: {
            ...template,
            metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...own } },
          },
        },
      },
    ),
    // Without an address of its own: routers connect to every replica.
    make('v1', 'Service', place, {
      spec: {
        clusterIP: 'None',
        selector: labels,
        ports: [
          { name: 'picker', port: PORTS.picker, targetPort: 'picker', protocol: 'TCP' },
          { name: 'ext-proc', port: PORTS.endpointPicker, targetPort: 'ext-proc', protocol: 'TCP' },
        ],
      },
    }),
    ...account(context, { ...place, kind: 'picker' }),
    disruptionBudget(context, place, labels),
  ];
}

function pickerTemplate(context: Context, scheduler: Scheduler, labels: Readonly<Record<string, string>>) {
  const { namespace, names } = context;
  const host = anyAddress(context);
  const name = `${namespace}/${scheduler.name}`;
  return podTemplate(context, {
    name: 'picker',
    serviceAccount: schedulerNames(scheduler).picker,
    labels,
    apart: labels,
    args: [
      'picker',
      ...objectFlags(context),
      `--scheduler=${name}`,
      `--listen=${host}:${PORTS.picker}`,
      `--ext-proc=${name}=${host}:${PORTS.endpointPicker}`,
      `--metrics=${host}:${PORTS.metrics}`,
      ...certificateFlags(''),
      // Other gateways encrypt, and have no certificate of ours.
      ...certificateFlags('serve-', 'anybody'),
      `--drain-timeout=${DRAIN_SECONDS}s`,
      ...(scheduler.logLevel === undefined ? [] : [`--log-level=${LOG_LEVELS[scheduler.logLevel]}`]),
    ],
    ports: [
      { name: 'picker', containerPort: PORTS.picker },
      { name: 'ext-proc', containerPort: PORTS.endpointPicker },
    ],
    certificate: names.pickerCertificate,
    resources: PICKER_RESOURCES,
    gracePeriod: GRACE_SECONDS,
    env: scheduler.env,
    envFrom: scheduler.envFrom,
  });
}
