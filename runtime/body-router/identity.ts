import { createHash } from 'node:crypto';
import {
  OBJECTIVE_ALIAS_HEADER,
  OBJECTIVE_HEADER,
  TENANT_ALIAS_HEADER,
  TENANT_HEADER,
} from '../../lib/translate/envoy/control-headers';
import type { GatewayState, SchedulerState } from '../../lib/translate/gateway-state';
import type { HeaderMap } from '../ext-proc/processor';

/** What a request is to flow control. */
export interface RequestIdentity {
  /** Above 0 is Critical, 0 Standard, below 0 Sheddable; an int32. */
  readonly priority: number;
  /** At most 256 bytes. Absent: none was named. */
  readonly tenant?: string;
}

const MAX_TENANT_BYTES = 256;
const MIN_INT32 = -2_147_483_648;
const MAX_INT32 = 2_147_483_647;

/**
 * The priority of the objective that the headers name, and the tenant. With `state.claims` Envoy wrote the headers from
 * verified claims, under their `x-gateway-` names alone, and has removed what the client sent. Else they are the
 * client's: the `x-llm-d-` name wins where both are there, and an objective may only lower the priority unless the
 * scheduler trusts its clients. An objective that the scheduler does not have is priority 0.
 */
export function requestIdentity(
  headers: HeaderMap,
  state: Pick<GatewayState, 'claims'>,
  scheduler: Pick<SchedulerState, 'objectives' | 'flowControl'>,
): RequestIdentity {
  const verified = state.claims === true;
  const named = (name: string, alias: string) => (!verified && headers.get(alias)) || headers.get(name) || undefined;
  const tenant = named(TENANT_HEADER, TENANT_ALIAS_HEADER);
  const priority = priorityOf(named(OBJECTIVE_HEADER, OBJECTIVE_ALIAS_HEADER), scheduler);
  const believed = verified || scheduler.flowControl?.trustClientHeaders === true;
  return {
    priority: believed ? priority : Math.min(0, priority),
    ...(tenant !== undefined && { tenant: bounded(tenant) }),
  };
}

function priorityOf(objective: string | undefined, scheduler: Pick<SchedulerState, 'objectives'>): number {
  if (objective === undefined) return 0;
  const priority = scheduler.objectives?.find(({ name }) => name === objective)?.priority ?? 0;
  return Math.max(MIN_INT32, Math.min(priority, MAX_INT32));
}

/** A digest in place of a longer one: long tenants stay apart, and each is held in little memory. */
function bounded(tenant: string): string {
  if (Buffer.byteLength(tenant) <= MAX_TENANT_BYTES) return tenant;
  return `sha256:${createHash('sha256').update(tenant).digest('hex')}`;
}
