import type { PickedEndpoints, PickRefused, Refusal } from '../../endpoint-picker/endpoint-picker';
import { Fields } from './fields';
import { encodeFrame, MAX_PAYLOAD_BYTES } from './frames';
import { MAX_SCHEDULERS } from './hello';
import { ProtocolFault } from './protocol-fault';
import { MAX_ENDPOINTS, MAX_NAME_LENGTH } from './request-fields';

/** What a picker tells a router after its hello. */
export type PickerMessage =
  | { readonly type: 'picked'; readonly id: number; readonly picked: Omit<PickedEndpoints, 'ticket'> }
  | { readonly type: 'refused'; readonly id: number; readonly refused: PickRefused }
  /** The request is held; its result comes later. */
  | { readonly type: 'queued'; readonly id: number }
  /** This replica cannot say: it does not know the scheduler (yet), or failed. Another may. */
  | { readonly type: 'undecided'; readonly id: number }
  | { readonly type: 'pong' }
  /** It ends soon: picks go elsewhere now. */
  | { readonly type: 'goodbye' }
  /** It knows as much as others now. */
  | { readonly type: 'warm' }
  /** These schedulers, each `namespace/name`, have an endpoint that is ready; the others that it picks for have none. */
  | { readonly type: 'ready'; readonly schedulers: readonly string[] }
  /** Why the picker ends the connection. */
  | { readonly type: 'reject'; readonly reason: string };

const TYPE = {
  picked: 0,
  refused: 1,
  queued: 2,
  undecided: 3,
  pong: 4,
  goodbye: 5,
  warm: 6,
  reject: 7,
  ready: 8,
} as const;

const REFUSALS = [
  'saturated',
  'queue-full',
  'expired',
  'no-endpoints',
  'shutting-down',
  'cancelled',
] as const satisfies readonly Refusal[];

/** An explanation that is longer is left out. */
const MAX_EXPLANATION_LENGTH = MAX_PAYLOAD_BYTES / 8;

export const frames = {
  picked(id: number, picked: PickedEndpoints): Buffer {
    const { endpoints, sampleFirstToken, matchedBlocks, predictedTtftMs } = picked;
    const head = [
      TYPE.picked,
      id,
      endpoints.slice(0, MAX_ENDPOINTS),
      sampleFirstToken === true,
      matchedBlocks ?? 0,
      predictedTtftMs ?? null,
    ];
    if (picked.explanation === undefined) return encodeFrame(head);
    const explanation = JSON.stringify(picked.explanation);
    return encodeFrame(explanation.length > MAX_EXPLANATION_LENGTH ? head : [...head, explanation]);
  },
  refused: (id: number, { outcome, retryAfterSeconds }: PickRefused) =>
    encodeFrame([TYPE.refused, id, REFUSALS.indexOf(outcome), retryAfterSeconds]),
  queued: (id: number) => encodeFrame([TYPE.queued, id]),
  undecided: (id: number) => encodeFrame([TYPE.undecided, id]),
  pong: () => encodeFrame([TYPE.pong]),
  goodbye: () => encodeFrame([TYPE.goodbye]),
  warm: () => encodeFrame([TYPE.warm]),
  ready: (schedulers: readonly string[]) => encodeFrame([TYPE.ready, schedulers]),
  reject: (reason: string) => encodeFrame([TYPE.reject, reason.slice(0, MAX_NAME_LENGTH)]),
};

/** Throws `ProtocolFault`. */
export function decodePickerMessage(message: readonly unknown[]): PickerMessage {
  const fields = new Fields(message);
  const type = fields.count();
  switch (type) {
    case TYPE.picked:
      return { type: 'picked', id: fields.count(), picked: readPicked(fields) };
    case TYPE.refused:
      return { type: 'refused', id: fields.count(), refused: readRefused(fields) };
    case TYPE.queued:
      return { type: 'queued', id: fields.count() };
    case TYPE.undecided:
      return { type: 'undecided', id: fields.count() };
    case TYPE.pong:
      return { type: 'pong' };
    case TYPE.goodbye:
      return { type: 'goodbye' };
    case TYPE.warm:
      return { type: 'warm' };
    case TYPE.ready:
      return { type: 'ready', schedulers: fields.list(MAX_SCHEDULERS, (item) => item.text(MAX_NAME_LENGTH)) };
    case TYPE.reject:
      return { type: 'reject', reason: fields.text(MAX_NAME_LENGTH) };
    default:
      throw new ProtocolFault('a message of an unknown type');
  }
}

function readPicked(fields: Fields): Omit<PickedEndpoints, 'ticket'> {
  const endpoints = fields.list(MAX_ENDPOINTS, (item) => item.text(MAX_NAME_LENGTH));
  if (endpoints.length === 0) throw new ProtocolFault('a pick without endpoints');
  const sampleFirstToken = fields.flag();
  const matchedBlocks = fields.count();
  const predictedTtftMs = fields.optional((one) => one.number());
  const explanation = fields.optional((one) => parse(one.text(MAX_EXPLANATION_LENGTH)));
  return {
    outcome: 'picked',
    endpoints,
    matchedBlocks,
    ...(predictedTtftMs !== undefined && { predictedTtftMs }),
    ...(sampleFirstToken && { sampleFirstToken }),
    ...(explanation !== undefined && { explanation }),
  };
}

function readRefused(fields: Fields): PickRefused {
  const outcome = REFUSALS[fields.count()];
  if (outcome === undefined) throw new ProtocolFault('a refusal of an unknown kind');
  return { outcome, retryAfterSeconds: Math.max(1, fields.count()) };
}

/** The router passes it on and reads nothing in it but what the picker of the same release wrote. */
function parse(text: string): NonNullable<PickedEndpoints['explanation']> {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolFault('an explanation that is not JSON');
  }
}
