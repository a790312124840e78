import type { FlowControlState, GatewayState, SchedulerState } from '../../../lib/translate/gateway-state';
import { bodyOf } from '../../../runtime/body-router/body/span';
import { createBodyRouter } from '../../../runtime/body-router/body-router';
import { type Admission, createAdmission } from '../../../runtime/endpoint-picker/admission/admission';
import type { PickRequest } from '../../../runtime/endpoint-picker/endpoint-picker';
import type { ContinueAnswer, ImmediateAnswer, Processor, Reply } from '../../../runtime/ext-proc/processor';
import {
  gatewayState,
  type PickerRig,
  pickerRigWith,
  schedulerState,
} from '../../runtime/endpoint-picker/support/fixtures';

export const FLOW_CONTROL: FlowControlState = {
  bands: {
    critical: { ttlMs: 10_000, maxRequests: 1000, maxBytes: 268_435_456 },
    standard: { ttlMs: 5_000, maxRequests: 1000, maxBytes: 268_435_456 },
    sheddable: { ttlMs: 1_000, maxRequests: 1000, maxBytes: 268_435_456 },
  },
  maxBytes: 536_870_912,
  maxTenants: 100,
  trustClientHeaders: false,
};

/** The router, admission and the picker as they work together, without sockets; time and metrics are the test's. */
export interface WholeRouter {
  readonly rig: PickerRig;
  readonly admission: Admission;
  readonly processor: Processor;
  /** Every request that the router asked an endpoint for. */
  readonly picks: PickRequest[];
  /** What the router told its observer, as one line each. */
  readonly told: string[];
  /** A request without a response so far; its answer may come later. */
  send(headers?: Readonly<Record<string, string>>, body?: string): Sent;
  /** Moves the clock, firing what is due on the way. */
  pass(milliseconds: number): void;
  update(...schedulers: SchedulerState[]): void;
  /** In force now. */
  state(): GatewayState;
}

export interface Sent {
  readonly answer: Promise<Reply>;
  /** The response came, with this status, from the endpoint picked; and then the stream ended. */
  respond(status: number): Promise<void>;
  /** The stream ends without a response. */
  abort(): void;
}

export function wholeRouter(change: Partial<SchedulerState> = {}, whole: Partial<GatewayState> = {}): WholeRouter {
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  const told: string[] = [];
  const picks: PickRequest[] = [];
  let admission: Admission | undefined;
  let state: GatewayState = { ...gatewayState(schedulerState(change)), ...whole };
  const rig = pickerRigWith({ roomChanged: (name) => admission?.roomChanged(name), state });
  const after = (delayMs: number, work: () => void) => {
    const timer = { at: rig.now + delayMs, work };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const created = createAdmission({
    picker: rig.picker,
    state,
    clock: () => rig.now,
    after,
    observe: {
      left: (_, band, outcome) => told.push(`left ${band} ${outcome}`),
      refused: (_, outcome) => told.push(`refused ${outcome}`),
    },
  });
  admission = created;
  const processor = createBodyRouter({
    picker: {
      pick(request) {
        picks.push(request);
        return created.pick(request);
      },
    },
    state: () => state,
    random: () => 0,
    clock: () => rig.now,
    yieldTurn: () => new Promise(setImmediate),
    observe: {
      requestRouted: ({ model }) => told.push(`routed ${model}`),
      requestRefused: (name) => told.push(`refused ${name}`),
      requestDefaulted: () => told.push('defaulted'),
      requestAnswered: (endpoint) => told.push(`answered ${endpoint}`),
    },
    onPickerError: (error) => {
      throw error;
    },
    created: 1,
  });

  return {
    rig,
    admission: created,
    processor,
    picks,
    told,
    state: () => state,
    send: (headers = {}, body = '{"model":"llama","prompt":"hi"}') => sendThrough(processor, headers, body),
    pass(milliseconds) {
      const end = rig.now + milliseconds;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        rig.now = Math.max(rig.now, due.at);
        due.work();
      }
      rig.now = end;
    },
    update(...schedulers) {
      state = { ...state, schedulers };
      rig.picker.update(state);
      created.update(state);
    },
  };
}

/** One request through a stream of its own, as Envoy's ext_proc filter sends it with buffered bodies. */
export function sendThrough(processor: Processor, headers: Readonly<Record<string, string>>, body: string): Sent {
  const stream = processor.open();
  const all = new Map(
    Object.entries({ ':method': 'POST', ':path': '/v1/completions', 'content-type': 'application/json', ...headers }),
  );
  const peer = { metadata: new Map(), bodyModes: undefined };
  const answer = (async () => {
    const first = await stream.requestHeaders(all, body === '', peer);
    return body === '' || first.kind === 'immediate' ? first : stream.requestBody(bodyOf([Buffer.from(body)]), true);
  })();
  return {
    answer,
    async respond(status) {
      const [served] = destinationsOf(await answer);
      stream.responseHeaders(
        new Map([[':status', String(status)]]),
        new Map([['upstream.address', served!]]),
        new Map(),
      );
      stream.closed();
    },
    abort: () => stream.closed(),
  };
}

/** The endpoints of a request that was let through; throws, with the answer, where it was not. */
export function destinationsOf(answer: Reply): string[] {
  const header = routed(answer).setHeaders?.find(([name]) => name === 'x-gateway-destination-endpoint');
  return header === undefined ? [] : header[1].split(',');
}

export function routed(answer: Reply): ContinueAnswer {
  if (answer.kind !== 'continue') throw new Error(`the request was not let through: ${JSON.stringify(answer)}`);
  return answer;
}

export function refusal(answer: Reply): { status: number; code: string; retryAfter: string | undefined } {
  if (answer.kind !== 'immediate') throw new Error('the request was let through');
  const { status, headers, body } = answer satisfies ImmediateAnswer;
  return {
    status,
    code: JSON.parse(body).error.code,
    retryAfter: headers.find(([name]) => name === 'retry-after')?.[1],
  };
}

/** The outcome so far; undefined: the request is held. Lets everything that is ready happen first. */
export async function soFar<T>(promise: Promise<T>): Promise<T | undefined> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  return Promise.race([promise, Promise.resolve(undefined)]);
}
