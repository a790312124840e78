import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PickRequest, PickResult } from '../endpoint-picker/endpoint-picker';
import { recordedExplanation } from './recorded-explanation';
import type { RecordingFile } from './recording-file';
import { type EndLine, encodeLine, type RecordingLine } from './recording-line';
import { createSeal } from './sealed-hashes';

export interface RecorderOptions {
  readonly file: Pick<RecordingFile, 'size' | 'append'>;
  /** Bytes that the file may have, what it had before included. */
  readonly limitBytes: number;
  readonly state: GatewayState;
  /** ISO 8601. */
  readonly created: string;
  /** 16 random bytes, known to nobody else. */
  readonly secret: Buffer;
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** The file is as large as it may be; told once. */
  onFull(): void;
}

/** Turns what a router decides into lines of a recording. Nothing here waits, and lines that find no room are counted. */
export interface Recorder {
  /** Seconds since the start of the recording. */
  now(): number;
  /** The schedulers in force from now on. */
  fleet(state: GatewayState): void;
  /**
   * A decision on a request that came at `at`; explained where the request asks for it. `decidedAt`: where it was held,
   * when it was decided. Gives the decision's number, which its end needs; undefined where it found no room.
   */
  picked(at: number, request: PickRequest, result: PickResult, decidedAt?: number): number | undefined;
  ended(pick: number, end: RecordedEnd): void;
  /** Adds the last line. */
  stop(): void;
}

interface RecordedEnd {
  /** Seconds since the request. */
  readonly firstToken: number | undefined;
  /** Of the first token, from the decision on, in seconds. */
  readonly predicted: number | undefined;
  readonly status: number | undefined;
  /** `ip:port` that served, where it is not the one that was picked. */
  readonly servedElsewhere: string | undefined;
}

/** Room kept for the last lines. */
const NOTICE_BYTES = 256;

export function createRecorder(options: RecorderOptions): Recorder {
  const { file, limitBytes, secret, clock } = options;
  const start = clock();
  const seal = createSeal(secret);
  const adapter = numbering('a');
  const pod = numbering('p');
  let picks = 0;
  let dropped = 0;
  let stopped = false;
  /** Without its header a router adds nothing: each that starts on a full file would make it longer. */
  let begun = false;

  const now = () => Math.max(0, rounded((clock() - start) / 1000));

  function add(line: RecordingLine): boolean {
    if (stopped) return false;
    const text = encodeLine(line);
    if (file.size + text.length + NOTICE_BYTES > limitBytes) {
      stop('limit');
      options.onFull();
      return false;
    }
    if (dropped > 0) tellDropped();
    const added = dropped === 0 && file.append(text);
    if (!added) dropped++;
    return added;
  }

  function tellDropped(): void {
    if (file.append(encodeLine({ dropped, at: now() }))) dropped = 0;
  }

  function stop(reason: 'closed' | 'limit'): void {
    if (stopped) return;
    stopped = true;
    if (!begun) return;
    if (dropped > 0) tellDropped();
    file.append(encodeLine({ stopped: reason, at: now() }));
  }

  function fleet(state: GatewayState): void {
    add({
      fleet: state.schedulers.map(({ namespace, name, endpoints, weights, overload }) => ({
        scheduler: `${namespace}/${name}`,
        pods: endpoints.length,
        weights,
        maxQueueTime: overload.maxQueueTimeMs / 1000,
      })),
      at: now(),
    });
  }

  begun = add({ recording: 1, gateway: options.state.gateway, created: options.created });
  fleet(options.state);
  return {
    now,
    fleet,
    picked(at, request, result, decidedAt = at) {
      if (stopped) return undefined;
      picks += 1;
      const waited = decidedAt - at;
      const explanation = result.outcome === 'picked' && request.explain ? result.explanation : undefined;
      const added = add({
        pick: picks,
        at,
        scheduler: request.scheduler,
        promptBytes: request.promptBytes,
        ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
        ...(request.adapter !== undefined && { adapter: adapter(request.adapter) }),
        ...(request.prefixHashes.length > 0 && { prefix: seal(request.prefixHashes) }),
        outcome: result.outcome,
        ...(result.outcome === 'picked' && { pod: pod(result.endpoints[0]!) }),
        ...(result.outcome === 'picked' && result.matchedBlocks !== undefined && { matched: result.matchedBlocks }),
        ...(waited > 0 && { waited: rounded(waited) }),
        ...(explanation !== undefined && { explanation: recordedExplanation(explanation, pod) }),
      });
      return added ? picks : undefined;
    },
    ended(pick, { firstToken, predicted, status, servedElsewhere }) {
      const line: EndLine = {
        end: pick,
        at: now(),
        ...(firstToken !== undefined && { firstToken: rounded(firstToken) }),
        ...(predicted !== undefined && { predicted: rounded(predicted) }),
        ...(status !== undefined && { status }),
        ...(servedElsewhere !== undefined && { pod: pod(servedElsewhere) }),
      };
      add(line);
    },
    stop: () => stop('closed'),
  };
}

/** Numbers names by their first appearance. Grows no longer than the file, which names each. */
function numbering(letter: string): (name: string) => string {
  const numbers = new Map<string, string>();
  return (name) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = `${letter}${numbers.size + 1}`;
    numbers.set(name, number);
    return number;
  };
}

/** Microseconds are as fine as a clock is worth. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}
