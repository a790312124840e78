import type { EngineEvent, EngineRequest, RequestId } from '../../engine/types';
import type { EngineObserver } from '../real-time-engine';
import { FIRST_TOKEN_BOUNDS, LENGTH_BOUNDS, REQUEST_BOUNDS, TOKEN_INTERVAL_BOUNDS } from './bounds';
import { Histogram } from './histogram';

interface Progress {
  readonly arrivedAt: number;
  readonly promptTokens: number;
  firstTokenAt: number | undefined;
  lastTokenAt: number | undefined;
}

/**
 * Counters and histograms of what the engine did, in engine time: at speed 10 they still read as the modelled GPU would.
 * They are told at a request's end, but for the first token and the intervals; the engine counts for itself as it goes.
 */
export class Statistics implements EngineObserver {
  promptTokens = 0;
  cachedTokens = 0;
  generatedTokens = 0;
  finished = 0;
  aborted = 0;
  readonly firstTokenSeconds = new Histogram(FIRST_TOKEN_BOUNDS);
  readonly tokenIntervalSeconds = new Histogram(TOKEN_INTERVAL_BOUNDS);
  /** Of each request with two tokens or more, its mean. */
  readonly meanIntervalSeconds = new Histogram(TOKEN_INTERVAL_BOUNDS);
  readonly requestSeconds = new Histogram(REQUEST_BOUNDS);
  readonly promptLengths = new Histogram(LENGTH_BOUNDS);
  readonly generationLengths = new Histogram(LENGTH_BOUNDS);
  /** Entries leave with their request. */
  private readonly progress = new Map<RequestId, Progress>();

  submitted(at: number, { id, promptTokens }: EngineRequest): void {
    this.progress.set(id, { arrivedAt: at, promptTokens, firstTokenAt: undefined, lastTokenAt: undefined });
  }

  happened(event: EngineEvent): void {
    if (event.type === 'tokens') for (const id of event.ids) this.tokenGenerated(id, event.at);
    else if (event.type === 'finished') this.requestFinished(event);
    else if (event.type === 'rejected') this.progress.delete(event.id);
  }

  cancelled(id: RequestId): void {
    if (this.progress.delete(id)) this.aborted++;
  }

  private tokenGenerated(id: RequestId, at: number): void {
    const request = this.progress.get(id);
    if (request === undefined) return;
    request.firstTokenAt ??= at;
    if (request.lastTokenAt === undefined) this.firstTokenSeconds.observe(at - request.arrivedAt);
    else this.tokenIntervalSeconds.observe(at - request.lastTokenAt);
    request.lastTokenAt = at;
  }

  private requestFinished({ id, at, generatedTokens, cachedTokens }: EngineEvent & { type: 'finished' }): void {
    const request = this.progress.get(id);
    if (request === undefined) return;
    this.progress.delete(id);
    this.finished++;
    this.promptTokens += request.promptTokens;
    this.cachedTokens += cachedTokens;
    this.generatedTokens += generatedTokens;
    const { firstTokenAt, lastTokenAt } = request;
    if (generatedTokens > 1) this.meanIntervalSeconds.observe((lastTokenAt! - firstTokenAt!) / (generatedTokens - 1));
    this.requestSeconds.observe(at - request.arrivedAt);
    this.promptLengths.observe(request.promptTokens);
    this.generationLengths.observe(generatedTokens);
  }
}
