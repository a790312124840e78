import { type SchedulerState, schedulerName } from '../../lib/translate/gateway-state';
import type { HeaderMap, ImmediateAnswer } from '../ext-proc/processor';
import { type RefusalName, refuse } from './errors';
import { modelEntries } from './models/model-list';
import type { Routing } from './models/routing';

/** A request that the gateway answers itself. */
export interface GatewayReply {
  readonly endpoint: 'models' | 'health' | 'ready';
  readonly answer: ImmediateAnswer;
  readonly refused?: RefusalName;
}

/**
 * The answer to a GET (or HEAD) of the model list, of one model, or of the gateway's health; undefined for any other
 * request. `created`: what the models' field `created` shows, Unix seconds. `hasEndpoints`: the pickers
 * of the scheduler, `namespace/name`, say that it has a ready endpoint; its endpoints may not be in the state.
 *
 * The model list is the model server's where no scheduler has a model name. Health is 200 while the router runs; ready
 * is 200 while any scheduler has a ready endpoint, because then there are requests that it can serve.
 */
export function gatewayReply(
  headers: HeaderMap,
  routing: Routing,
  created: number,
  hasEndpoints: (scheduler: string) => boolean = () => false,
): GatewayReply | undefined {
  const method = headers.get(':method');
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = (headers.get(':path') ?? '').split(/[?#]/, 1)[0]!;
  if (path === '/health' || path === '/healthz') return { endpoint: 'health', answer: json(200, { status: 'ok' }) };
  if (path === '/ready' || path === '/readyz') return { endpoint: 'ready', answer: readiness(routing, hasEndpoints) };

  const match = /^(?:\/.*?)?\/v1\/models(?:\/(.*))?$/.exec(path);
  if (match === null || routing.models.size === 0) return undefined;
  const entries = modelEntries(routing, created);
  const id = match[1] ?? '';
  if (id === '') return { endpoint: 'models', answer: json(200, { object: 'list', data: entries }) };
  const name = decode(id);
  const entry = entries.find((candidate) => candidate.id === name);
  if (entry !== undefined) return { endpoint: 'models', answer: json(200, entry) };
  return { endpoint: 'models', answer: refuse('model_not_found', { model: name }), refused: 'model_not_found' };
}

function readiness({ state }: Routing, hasEndpoints: (scheduler: string) => boolean): ImmediateAnswer {
  const isReady = (scheduler: SchedulerState) =>
    scheduler.endpoints.some((endpoint) => endpoint.ready) || hasEndpoints(schedulerName(scheduler));
  const ready = state.schedulers.filter(isReady).length;
  const status = ready > 0 ? 'ready' : 'no model server is ready';
  return json(ready > 0 ? 200 : 503, { status, schedulers: { total: state.schedulers.length, ready } });
}

/** An id that is no valid percent-encoding stands for itself. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function json(status: number, value: unknown): ImmediateAnswer {
  return {
    kind: 'immediate',
    status,
    headers: [['content-type', 'application/json']],
    body: JSON.stringify(value),
    details: 'router_gateway_endpoint',
  };
}
