import { shortName } from '../../lib/translate/cluster/short-name';
import { type GatewayState, type SchedulerState, schedulerName } from '../../lib/translate/gateway-state';
import type { PickerTarget } from '../picker-rpc/connect/picker-address';

/** Where the pickers of each scheduler are: a host with `{name}` and `{namespace}` in it, which stand for the scheduler's. */
export interface ServiceTemplate {
  readonly host: string;
  readonly port: number;
}

/** A target for every scheduler of the state. */
export function serviceTargets(template: ServiceTemplate, { schedulers }: GatewayState): readonly PickerTarget[] {
  return schedulers.map((scheduler) => ({
    scheduler: schedulerName(scheduler),
    address: { host: serviceHost(template, scheduler), port: template.port },
  }));
}

/** A label `{name}-ENDING` that is too long for DNS is what the controller makes of such a name. */
function serviceHost(
  { host }: ServiceTemplate,
  { name, namespace }: Pick<SchedulerState, 'name' | 'namespace'>,
): string {
  const labels = host.replaceAll('{namespace}', namespace).split('.');
  return labels
    .map((label) =>
      label.startsWith('{name}-') ? shortName(name, label.slice('{name}-'.length)) : label.replaceAll('{name}', name),
    )
    .join('.');
}
