import { decode } from '@msgpack/msgpack';
import { checkMsgpack, MalformedEvents } from './check-msgpack';

/** What an engine tells of its KV cache on the GPU. Engine hashes are integers below 2^53. */
export type KvEvent =
  | {
      readonly type: 'stored';
      /** Block by block, each the child of the one before. */
      readonly hashes: readonly number[];
      /** The block before the first; undefined at the start of a prompt. */
      readonly parent: number | undefined;
      /** `hashes.length * blockTokens` of them. */
      readonly tokens: Uint32Array;
      readonly blockTokens: number;
      /** The LoRA adapter by name. */
      readonly adapter: string | undefined;
    }
  | { readonly type: 'removed'; readonly hashes: readonly number[] }
  | { readonly type: 'cleared' };

/** Tokens of a block at most; engines use 16 to 128, and up to some thousands for hybrid models. */
const MAX_BLOCK_TOKENS = 8192;

/** A name that is longer is nobody's. */
const MAX_NAME_LENGTH = 512;

// Fields in the order of vLLM's structs, for events that come as arrays; the tag stands before them.
const STORED = [
  'block_hashes',
  'parent_block_hash',
  'token_ids',
  'block_size',
  'lora_id',
  'medium',
  'lora_name',
  'extra_keys',
  'group_idx',
] as const;
const REMOVED = ['block_hashes', 'medium', 'group_idx'] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The events of one message of vLLM's `KVEventBatch`, `[ts, [event, …], …]` or a map of `ts` and `events`; each event
 * is a tagged array or a map with `type`, after vLLM's version. Left out are events that say nothing of what a
 * prompt's tokens alone can find: of other media than the GPU, of cache groups but the first, of other kinds than
 * known, and blocks that depend on more than tokens and adapter (cache salts, images). Throws `MalformedEvents`.
 */
export function decodeBatch(payload: Uint8Array): KvEvent[] {
  checkMsgpack(payload);
  let batch: unknown;
  try {
    batch = decode(payload);
  } catch {
    throw new MalformedEvents('the payload is not msgpack');
  }
  const events = Array.isArray(batch) ? batch[1] : fieldsOf(batch)?.events;
  if (!Array.isArray(events)) throw new MalformedEvents('the payload is no batch of events');
  return events.map(readEvent).filter((event) => event !== undefined);
}

function readEvent(event: unknown): KvEvent | undefined {
  const fields = Array.isArray(event) ? named(event) : fieldsOf(event);
  switch (fields?.type) {
    case 'BlockStored':
      return concernsGpu(fields) ? stored(fields) : undefined;
    case 'BlockRemoved':
      return concernsGpu(fields) ? { type: 'removed', hashes: readHashes(fields.block_hashes) } : undefined;
    case 'AllBlocksCleared':
      return { type: 'cleared' };
    default:
      if (typeof fields?.type === 'string') return undefined;
      throw new MalformedEvents('an event has no type');
  }
}

function named(event: readonly unknown[]): Fields {
  const [type, ...values] = event;
  const names = type === 'BlockStored' ? STORED : REMOVED;
  return { type, ...Object.fromEntries(names.map((name, at) => [name, values[at]])) };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function concernsGpu({ medium, group_idx: group }: Fields): boolean {
  const onGpu = medium === undefined || medium === null || medium === 'GPU';
  return onGpu && (group === undefined || group === null || group === 0);
}

function stored(fields: Fields): KvEvent | undefined {
  const { token_ids: ids, block_size: blockTokens, parent_block_hash: parent } = fields;
  const hashes = readHashes(fields.block_hashes);
  if (typeof blockTokens !== 'number' || !Number.isInteger(blockTokens) || blockTokens < 1) {
    throw new MalformedEvents('BlockStored: block_size is no positive integer');
  }
  if (blockTokens > MAX_BLOCK_TOKENS) throw new MalformedEvents(`BlockStored: block_size is above ${MAX_BLOCK_TOKENS}`);
  if (!Array.isArray(ids) || ids.length !== hashes.length * blockTokens) {
    throw new MalformedEvents('BlockStored: token_ids are not block_size for each of block_hashes');
  }
  const adapter = fields.lora_name ?? undefined;
  // Old engines number adapters and do not name them.
  if (adapter === undefined && typeof fields.lora_id === 'number') return undefined;
  if (adapter !== undefined && (typeof adapter !== 'string' || adapter.length > MAX_NAME_LENGTH)) {
    throw new MalformedEvents('BlockStored: lora_name is no name');
  }
  const whole = plainBlocks(fields.extra_keys, hashes.length, adapter);
  if (whole === 0) return undefined;
  return {
    type: 'stored',
    hashes: hashes.slice(0, whole),
    parent: parent === undefined || parent === null ? undefined : readHash(parent),
    tokens: readTokens(ids, whole * blockTokens),
    blockTokens,
    adapter,
  };
}

function readTokens(ids: readonly unknown[], count: number): Uint32Array {
  const tokens = new Uint32Array(count);
  for (let at = 0; at < count; at++) tokens[at] = Number(ids[at]);
  return tokens;
}

/** Leading blocks whose hash depends on nothing but tokens and the adapter. */
function plainBlocks(extraKeys: unknown, blocks: number, adapter: string | undefined): number {
  if (!Array.isArray(extraKeys)) return blocks;
  // A salt may read as the adapter's name does.
  const isPlain = (keys: unknown) =>
    keys === null || keys === undefined || (Array.isArray(keys) && keys.length === 1 && keys[0] === adapter);
  const salted = extraKeys.findIndex((keys) => !isPlain(keys));
  return salted < 0 ? blocks : Math.min(salted, blocks);
}

function readHashes(value: unknown): number[] {
  if (!Array.isArray(value)) throw new MalformedEvents('block_hashes is no list');
  return value.map(readHash);
}

/** 53 bits of a hash that is an integer of 64 bits or, where the engine is told so, the whole digest. */
function readHash(value: unknown): number {
  if (Number.isInteger(value)) return Math.abs(value as number) % Number.MAX_SAFE_INTEGER;
  if (!(value instanceof Uint8Array) || value.length < 8)
    throw new MalformedEvents('a block hash is neither integer nor bytes');
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return view.getUint32(value.length - 8) * 0x200000 + (view.getUint32(value.length - 4) >>> 11);
}
