import type { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type {
  EndpointPicker,
  PickedEndpoints,
  PickRequest,
  PickResult,
  Ticket,
} from '../endpoint-picker/endpoint-picker';
import { decisionAttributes, requestAttributes } from './tracing-attributes';

/** A picker whose decisions are spans, with the whole explanation, under the span in `current`. */
export function tracedPicker(
  picker: EndpointPicker,
  tracer: Tracer,
  current: AsyncLocalStorage<Span>,
  modelName: (model: string) => string,
): EndpointPicker {
  return {
    pick(request) {
      const parent = current.getStore();
      if (!parent?.isRecording()) return picker.pick(request);
      parent.setAttributes(requestAttributes(request, modelName(request.model)));
      const span = tracer.startSpan('gateway.pick', {}, trace.setSpan(ROOT_CONTEXT, parent));
      const settle = (result: PickResult) => settled(result, span, parent, request);
      try {
        const result = picker.pick({ ...request, explain: true });
        if ('outcome' in result) return settle(result);
        const failed = (error: unknown): never => {
          fail(span);
          throw error;
        };
        return { result: result.result.then(settle, failed), cancel: () => result.cancel() };
      } catch (error) {
        fail(span);
        throw error;
      }
    },
  };
}

function fail(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function settled(result: PickResult, span: Span, parent: Span, request: PickRequest): PickResult {
  span.setAttributes(decisionAttributes(result, request));
  span.end();
  return result.outcome === 'picked' ? { ...result, ticket: tracedTicket(result, parent) } : result;
}

/**
 * Tells the request's span, which ends after the ticket, how the prediction turned out. One for another pod than the one
 * that served is not told.
 */
function tracedTicket({ endpoints, ticket, predictedTtftMs }: PickedEndpoints, span: Span): Ticket {
  const decidedAt = performance.now();
  let servedElsewhere = false;
  return {
    served(address, attempts, status) {
      servedElsewhere = address !== undefined && address !== endpoints[0];
      ticket.served(address, attempts, status);
    },
    firstToken() {
      span.setAttribute('gen_ai.response.time_to_first_chunk', (performance.now() - decidedAt) / 1000);
      span.addEvent('gateway.first_token');
      ticket.firstToken();
    },
    done(status) {
      if (predictedTtftMs !== undefined && !servedElsewhere) {
        span.setAttribute('inference_gateway.predicted_ttft_seconds', predictedTtftMs / 1000);
      }
      ticket.done(status);
    },
  };
}
