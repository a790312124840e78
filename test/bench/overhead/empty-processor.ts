/** The processor of leg (c): the product's ext_proc server, the same messages, and nothing done about them. */
import { BodyBudget } from '../../../runtime/ext-proc/body-budget';
import { CONTINUE, type ImmediateAnswer, type ProcessorStream } from '../../../runtime/ext-proc/processor';
import { startExtProcServer } from '../../../runtime/ext-proc/server';
import { serveParent } from './child-process';

export interface EmptyProcessorRequest {
  /** Unix socket to listen on. */
  readonly socket: string;
}

const LIMIT_BYTES = 2 ** 29;

const OVERLOADED: ImmediateAnswer = { kind: 'immediate', status: 503, headers: [], body: '', details: 'overloaded' };

const stream: ProcessorStream = {
  requestHeaders: () => CONTINUE,
  requestBody: () => CONTINUE,
  responseHeaders: () => CONTINUE,
  responseBody: () => CONTINUE,
  closed: () => {},
};

serveParent(async ({ socket }: EmptyProcessorRequest) => {
  await startExtProcServer({
    processor: { open: () => stream, overloaded: () => OVERLOADED },
    listen: { path: socket },
    maxMessageBytes: LIMIT_BYTES,
    budget: new BodyBudget(LIMIT_BYTES),
    onHandlerError: (error) => {
      throw error;
    },
  });
  return null;
});
