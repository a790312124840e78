import { invalidRequest } from './api-error';
import { type Endpoint, sendJson } from './exchange';
import { parseFaults } from './faults';

/** Reads and sets faults; a POST replaces them all, so that `{}` clears. */
const faults: Endpoint = (context, exchange) => {
  if (exchange.request.method === 'POST') {
    const body = exchange.json();
    try {
      context.faults.set(parseFaults(body));
    } catch (error) {
      throw invalidRequest((error as Error).message);
    }
  }
  sendJson(exchange, { ...context.faults.current(), ready: context.faults.isReady() });
};

/** The server's own paths, which no fault touches. */
export const CONTROL_ROUTES: Readonly<Record<string, Endpoint>> = {
  '/simulator/faults': faults,
  '/simulator/requests': (context, exchange) => sendJson(exchange, context.requests.view()),
};
