import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlockHash, PickRequest } from '../endpoint-picker';
import type { PickerLog } from '../observe';
import { createInFlightBlocks } from '../prefix/in-flight-blocks';
import { createPreciseIndex } from '../prefix/precise-index';
import { blockHashes, rootHash } from '../prefix/token-blocks';
import { sizeOf } from '../scheduling/request-size';
import { createEndpointBlocks, type EndpointBlocks } from './endpoint-blocks';
import type { KvEventsObserver } from './observe';
import type { PromptTokens } from './prompt-tokens';
import { subscribe } from './subscription';
import type { TokenizeRequest } from './tokenize-request';
import { createTokenizer } from './tokenizer';
import { createTurnBudget } from './turn-budget';
import { createZmqSockets } from './zmq-sockets';

export interface PrecisePrefixOptions {
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly observe: KvEventsObserver;
  readonly log: PickerLog;
  /** As of the tokeniser. */
  readonly deadlineMs?: number;
}

/** An endpoint whose engine publishes its KV events. */
interface PreciseEndpoint {
  /** Its number in `matched`; no other endpoint has it until `leave`. */
  readonly id: number;
  /** `ip:port`; events come from the same address. */
  readonly address: string;
  readonly pod: string;
  readonly scheduler: string;
  readonly baseModel: string;
  readonly kvEventsPort: number;
  readonly kvReplayPort: number | undefined;
  ready(): boolean;
}

/**
 * Which pods hold a prompt, from what their engines tell of their KV caches. Where an endpoint's history is known as a
 * whole, it decides; where a part is missing, it can only add to what the approximate index believes.
 */
export interface PrecisePrefix {
  /** Follows the endpoint's events. */
  join(endpoint: PreciseEndpoint): void;
  /** Ends that. Does nothing for endpoints that have not joined. */
  leave(id: number): void;
  /** Some endpoint of the scheduler has joined: it is of use to ask for tokens. */
  covers(scheduler: string): boolean;
  /** The tokens of a prompt; at once where they are known, and undefined where they are not within the deadline. */
  tokens(scheduler: string, request: TokenizeRequest): PromptTokens | undefined | Promise<PromptTokens | undefined>;
  /**
   * Corrects `matched`, which the approximate index has written: blocks by endpoint id, in the blocks of
   * `request.prefixHashes`.
   */
  match(request: PickRequest, tokens: PromptTokens, matched: Int32Array): void;
  /** The request goes to the endpoint. Returns what must be called once it is over, or has moved; idempotent. */
  enter(id: number, request: PickRequest, tokens: PromptTokens): () => void;
  close(): Promise<void>;
}

/** Of endpoints that have not stored a block yet, for the requests on their way to them. */
const USUAL_BLOCK_TOKENS = 16;

/** Blocks that are hashed of one prompt: 32,768 tokens in blocks of 16. */
const MAX_BLOCKS = 2048;

/** Sizes of blocks that are looked for in one pick; the pods of a scheduler run one engine with one size. */
const MAX_BLOCK_SIZES = 4;

interface Followed {
  readonly endpoint: PreciseEndpoint;
  readonly blocks: EndpointBlocks;
  close(): Promise<void>;
}

export function createPrecisePrefix(options: PrecisePrefixOptions): PrecisePrefix {
  const { clock, random, observe, log } = options;
  const index = createPreciseIndex(random);
  const inFlight = createInFlightBlocks(random);
  const tokenizer = createTokenizer(options);
  const sockets = createZmqSockets();
  const turns = createTurnBudget(clock, () => nextTurn());
  const followed = new Map<number, Followed>();
  const schedulers = new Map<string, Set<Followed>>();
  const closing = new Set<Promise<void>>();
  let stored = new Int32Array(0);
  let underWay = new Int32Array(0);

  function stop(one: Followed): void {
    const closed = one.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function leave(id: number): void {
    const one = followed.get(id);
    if (one === undefined) return;
    followed.delete(id);
    const others = schedulers.get(one.endpoint.scheduler);
    others?.delete(one);
    if (others?.size === 0) schedulers.delete(one.endpoint.scheduler);
    stop(one);
    index.clear(id);
    inFlight.clear(id);
  }

  function hashesOf(one: Followed, request: PickRequest, { tokens }: PromptTokens): BlockHash[] {
    const size = one.blocks.blockTokens ?? USUAL_BLOCK_TOKENS;
    return blockHashes(rootHash(one.endpoint.baseModel, request.adapter, size), tokens, size, MAX_BLOCKS);
  }

  /** Writes into `stored` and `underWay` the runs of all endpoints of the scheduler; returns those that were looked at. */
  function lookUp(all: ReadonlySet<Followed>, request: PickRequest, tokens: PromptTokens): Followed[] {
    stored.fill(0);
    underWay.fill(0);
    const sizes = new Set<number>();
    const seen: Followed[] = [];
    for (const one of all) {
      const size = one.blocks.blockTokens ?? USUAL_BLOCK_TOKENS;
      if (!sizes.has(size)) {
        if (sizes.size === MAX_BLOCK_SIZES) continue;
        sizes.add(size);
        const hashes = hashesOf(one, request, tokens);
        index.match(hashes, stored);
        inFlight.match(hashes, underWay);
      }
      seen.push(one);
    }
    return seen;
  }

  return {
    join(endpoint) {
      const { id, address, pod, scheduler } = endpoint;
      leave(id);
      if (id >= stored.length) {
        stored = new Int32Array(Math.max(16, id * 2));
        underWay = new Int32Array(stored.length);
      }
      const host = address.slice(0, address.lastIndexOf(':'));
      const blocks = createEndpointBlocks(id, endpoint.baseModel, index);
      const { close } = subscribe({
        events: `tcp://${host}:${endpoint.kvEventsPort}`,
        replay: endpoint.kvReplayPort === undefined ? undefined : `tcp://${host}:${endpoint.kvReplayPort}`,
        blocks: whileFollowed(blocks, () => followed.get(id)?.blocks === blocks),
        sockets,
        turns,
        observe,
        scheduler,
        clock,
        random,
        onFault(err) {
          log.warn({ pod, scheduler, address, err }, 'KV events of the pod cannot be followed');
          // Nothing will be known of it, so nobody should wait for tokens on its account.
          if (followed.get(id)?.blocks === blocks) leave(id);
        },
      });
      const one = { endpoint, blocks, close };
      followed.set(id, one);
      schedulers.set(scheduler, (schedulers.get(scheduler) ?? new Set()).add(one));
    },
    leave,
    covers: (scheduler) => schedulers.has(scheduler),
    tokens(scheduler, request) {
      const ready: string[] = [];
      for (const { endpoint } of schedulers.get(scheduler) ?? []) if (endpoint.ready()) ready.push(endpoint.address);
      return tokenizer.tokens(scheduler, request, ready);
    },
    match(request, tokens, matched) {
      const all = schedulers.get(request.scheduler);
      if (all === undefined) return;
      const blocks = request.prefixHashes.length;
      const tokensOfBlock = sizeOf(request).blockTokens;
      if (tokensOfBlock === 0) return;
      // A token is taken as 4 bytes everywhere else: what is shared is measured as a part of the prompt.
      const blocksOfToken = request.promptBytes / 4 / tokensOfBlock / tokens.count;
      for (const { endpoint, blocks: known } of lookUp(all, request, tokens)) {
        const held = Math.max(stored[endpoint.id]!, underWay[endpoint.id]!);
        const heldTokens = held * (known.blockTokens ?? USUAL_BLOCK_TOKENS);
        const precise = Math.min(blocks, Math.round(heldTokens * blocksOfToken));
        matched[endpoint.id] = known.complete ? precise : Math.max(precise, matched[endpoint.id]!);
      }
    },
    enter(id, request, tokens) {
      const one = followed.get(id);
      return one === undefined ? () => undefined : inFlight.enter(id, hashesOf(one, request, tokens));
    },
    async close() {
      for (const id of [...followed.keys()]) leave(id);
      await Promise.all([...closing, tokenizer.close()]);
    },
  };
}

/** A subscription ends some time after its endpoint left, whose number another may have by then. */
function whileFollowed(blocks: EndpointBlocks, isFollowed: () => boolean): EndpointBlocks {
  return {
    get blockTokens() {
      return blocks.blockTokens;
    },
    get complete() {
      return blocks.complete;
    },
    apply(event) {
      if (isFollowed()) blocks.apply(event);
    },
    reset(complete) {
      if (isFollowed()) blocks.reset(complete);
    },
  };
}
