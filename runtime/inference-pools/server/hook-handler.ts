import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { isApiError } from '../../kubernetes/api-error';
import type { Hook, PoolMetrics } from '../metrics';
import { HOOKS_PEER, refusal } from './peer';

export interface HookHandlerOptions {
  readonly log: Logger;
  readonly metrics: PoolMetrics;
}

/** Answers what Envoy Gateway asks by one hook. It has no limit of its own for how long it waits. */
export function hookHandler<Request, Response>(
  hook: Hook,
  answer: (request: Request, signal: AbortSignal) => Response | Promise<Response>,
  { log, metrics }: HookHandlerOptions,
) {
  return async (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): Promise<void> => {
    const refused = refusal(call, HOOKS_PEER);
    if (refused) return callback(refused);
    const began = performance.now();
    const told = (outcome: 'answered' | 'failed') => metrics.asked(hook, outcome, (performance.now() - began) / 1000);
    const cancelled = new AbortController();
    call.on('cancelled', () => cancelled.abort());
    try {
      const response = await answer(call.request, cancelled.signal);
      told('answered');
      callback(null, response);
    } catch (error) {
      told('failed');
      const text = 'Envoy Gateway could not be answered: its Envoys keep the configuration that they have';
      log.error({ err: error }, text);
      // It asks again at once where it is told that this may help.
      const code = isApiError(error) ? status.UNAVAILABLE : status.INTERNAL;
      callback({ code, details: (error as Error).message });
    }
  };
}
