import type { PickRequest } from '../../endpoint-picker/endpoint-picker';
import { Fields } from './fields';
import { encodeFrame } from './frames';
import { ProtocolFault } from './protocol-fault';
import { decodeRequest, encodeRequest, MAX_ENDPOINTS, MAX_NAME_LENGTH } from './request-fields';

/** What a router tells a picker after its hello. `id`: the request's, unique in the router's life. */
export type RouterMessage =
  /** What the router has in flight, in parts; what the picker has beside it of this router is over. */
  | { readonly type: 'snapshot'; readonly entries: readonly InFlight[]; readonly last: boolean }
  | { readonly type: 'pick'; readonly id: number; readonly request: PickRequest }
  /** The router does not want the pick any more, made or not. */
  | { readonly type: 'cancel'; readonly id: number }
  /** Another replica has picked. */
  | {
      readonly type: 'told';
      readonly id: number;
      readonly request: PickRequest;
      /** The choice and its fallbacks, in order; at least one. */
      readonly endpoints: readonly string[];
      readonly matchedBlocks: number;
    }
  | {
      readonly type: 'served';
      readonly id: number;
      /** Undefined: nobody knows. */
      readonly address: string | undefined;
      readonly attempts: number;
      readonly status: number | undefined;
    }
  | { readonly type: 'first-token'; readonly id: number }
  | { readonly type: 'done'; readonly id: number; readonly status: number | undefined }
  | { readonly type: 'ping' };

/** A request in flight, as a replica that does not know it needs it. */
export interface InFlight {
  readonly id: number;
  readonly scheduler: string;
  readonly adapter: string | undefined;
  readonly promptBytes: number;
  readonly maxOutputTokens: number | undefined;
  /** Where it is. */
  readonly address: string;
  /** Response headers have come: its prompt is computed. */
  readonly answered: boolean;
}

const TYPE = { snapshot: 0, pick: 1, cancel: 2, told: 3, served: 4, firstToken: 5, done: 6, ping: 7 } as const;

/** Entries of one part of a snapshot, far below the largest message. */
export const SNAPSHOT_PART = 256;
const MAX_STATUS = 999;

export const frames = {
  snapshot: (entries: readonly InFlight[], last: boolean) =>
    encodeFrame([
      TYPE.snapshot,
      last,
      entries.map(({ id, scheduler, adapter, promptBytes, maxOutputTokens, address, answered }) => [
        id,
        scheduler,
        adapter ?? null,
        promptBytes,
        maxOutputTokens ?? null,
        address,
        answered,
      ]),
    ]),
  pick: (id: number, request: PickRequest) => encodeFrame([TYPE.pick, id, encodeRequest(request)]),
  cancel: (id: number) => encodeFrame([TYPE.cancel, id]),
  told: (id: number, request: PickRequest, endpoints: readonly string[], matchedBlocks: number) =>
    encodeFrame([TYPE.told, id, encodeRequest(request), endpoints.slice(0, MAX_ENDPOINTS), matchedBlocks]),
  served: (id: number, address: string | undefined, attempts: number, status: number | undefined) =>
    encodeFrame([TYPE.served, id, address ?? null, attempts, status ?? null]),
  firstToken: (id: number) => encodeFrame([TYPE.firstToken, id]),
  done: (id: number, status: number | undefined) => encodeFrame([TYPE.done, id, status ?? null]),
  ping: () => encodeFrame([TYPE.ping]),
};

/** Throws `ProtocolFault`. */
export function decodeRouterMessage(message: readonly unknown[]): RouterMessage {
  const fields = new Fields(message);
  const type = fields.count();
  switch (type) {
    case TYPE.snapshot:
      return { type: 'snapshot', last: fields.flag(), entries: fields.list(SNAPSHOT_PART, readInFlight) };
    case TYPE.pick:
      return { type: 'pick', id: fields.count(), request: decodeRequest(fields.group()) };
    case TYPE.cancel:
      return { type: 'cancel', id: fields.count() };
    case TYPE.told:
      return {
        type: 'told',
        id: fields.count(),
        request: decodeRequest(fields.group()),
        endpoints: fields.list(MAX_ENDPOINTS, (item) => item.text(MAX_NAME_LENGTH)),
        matchedBlocks: fields.count(),
      };
    case TYPE.served:
      return {
        type: 'served',
        id: fields.count(),
        address: fields.optional((one) => one.text(MAX_NAME_LENGTH)),
        attempts: Math.max(1, fields.count()),
        status: fields.optional(readStatus),
      };
    case TYPE.firstToken:
      return { type: 'first-token', id: fields.count() };
    case TYPE.done:
      return { type: 'done', id: fields.count(), status: fields.optional(readStatus) };
    case TYPE.ping:
      return { type: 'ping' };
    default:
      throw new ProtocolFault('a message of an unknown type');
  }
}

function readInFlight(list: Fields): InFlight {
  const fields = list.group();
  return {
    id: fields.count(),
    scheduler: fields.text(MAX_NAME_LENGTH),
    adapter: fields.optional((one) => one.text(MAX_NAME_LENGTH)),
    promptBytes: fields.count(),
    maxOutputTokens: fields.optional((one) => one.count()),
    address: fields.text(MAX_NAME_LENGTH),
    answered: fields.flag(),
  };
}

function readStatus(fields: Fields): number {
  const status = fields.count();
  if (status > MAX_STATUS) throw new ProtocolFault('a message has a status that is none');
  return status;
}
