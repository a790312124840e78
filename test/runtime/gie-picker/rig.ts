import type { GatewayState } from '../../../lib/translate/gateway-state';
import type { EndpointPicker, Ticket } from '../../../runtime/endpoint-picker/endpoint-picker';
import { type GiePickerOptions, startGiePicker } from '../../../runtime/gie-picker/gie-picker';
import type { UsedRequest } from '../../../runtime/gie-picker/observer';
import {
  connectProxy,
  type GrpcProxy,
  type Message,
  type ProxyStream,
  requestMessages,
  type SentRequest,
} from './grpc-proxy';

export interface Rig {
  readonly proxy: GrpcProxy;
  readonly address: { readonly host: string; readonly port: number };
  /** What the observer and the tickets heard, one line each. */
  readonly heard: string[];
  readonly used: UsedRequest[];
  /** Sends a request and resolves with the answers: all until the picker has nothing more to say. */
  ask(request: SentRequest): Promise<Message[]>;
  /** The same, and leaves the stream open for the response. */
  request(request: SentRequest): Promise<{ readonly stream: ProxyStream; readonly answers: Message[] }>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type RigOptions = Partial<Omit<GiePickerOptions, 'state'>> & {
  readonly picker: EndpointPicker;
  readonly state: GatewayState | (() => GatewayState | undefined);
};

/** A picker's server for the pool `models/llama`, and a proxy connected to it. */
export async function startRig({ state, ...options }: RigOptions): Promise<Rig> {
  const heard: string[] = [];
  const used: UsedRequest[] = [];
  const server = await startGiePicker({
    scheduler: 'models/llama',
    listen: { host: '127.0.0.1', port: 0 },
    maxMessageBytes: 8_000_000,
    random: () => 0,
    clock: () => 0,
    yieldTurn: () => new Promise(setImmediate),
    observe: {
      requestRouted: ({ model, rewrite }) => heard.push(`routed ${model}${rewrite ? ` from ${rewrite.from}` : ''}`),
      requestRefused: (refusal) => heard.push(`refused ${refusal}`),
      requestUsed: (request) => used.push(request),
    },
    onPickerError: (error) => heard.push(`picker error ${(error as Error).message}`),
    onHandlerError: (error) => heard.push(`handler error ${(error as Error).message}`),
    state: typeof state === 'function' ? state : () => state,
    ...options,
  });
  const address = server.address as { host: string; port: number };
  const proxy = connectProxy(address);
  const close = async () => {
    proxy.close();
    await server.close(0);
  };
  const rig: Rig = {
    proxy,
    address,
    heard,
    used,
    async request(sent) {
      const stream = proxy.open();
      for (const message of requestMessages(sent)) stream.send(message);
      const answers: Message[] = [];
      for (let whole = false; !whole; ) {
        const answer = await stream.next();
        if (answer === undefined)
          throw new Error(`the picker ended the stream: ${JSON.stringify(await stream.status)}`);
        answers.push(answer);
        whole = isLast(answer, sent);
      }
      return { stream, answers };
    },
    async ask(sent) {
      const { stream, answers } = await rig.request(sent);
      stream.end();
      return [...answers, ...(await stream.rest())];
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return rig;
}

function isLast({ response, requestBody }: Message, { body, trailers }: SentRequest): boolean {
  if (response === 'immediateResponse' || response === 'requestTrailers') return true;
  if (trailers) return false;
  return body === undefined || requestBody?.response?.bodyMutation?.streamedResponse?.endOfStream === true;
}

/** A picker, not the real one, that names `endpoints` to everyone and notes what its tickets hear. */
export function fixedPicker(endpoints: readonly string[], heard: string[] = []): EndpointPicker & { heard: string[] } {
  const ticket: Ticket = {
    served: (address) => heard.push(`served ${address}`),
    firstToken: () => heard.push('first token'),
    done: (status) => heard.push(`done ${status}`),
  };
  return { heard, pick: () => ({ outcome: 'picked', endpoints, ticket }) };
}

/** A response in the messages of a proxy, its body in chunks. */
export function responseMessages(
  headers: Readonly<Record<string, string>>,
  chunks: readonly (string | Buffer)[],
): Message[] {
  return [
    {
      responseHeaders: {
        headers: {
          headers: Object.entries({ ':status': '200', ...headers }).map(([key, value]) => ({
            key,
            rawValue: Buffer.from(value),
          })),
        },
      },
    },
    ...chunks.map((chunk, index) => ({
      responseBody: { body: Buffer.from(chunk), endOfStream: index === chunks.length - 1 },
    })),
  ];
}
