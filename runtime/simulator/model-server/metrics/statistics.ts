import type { EngineEvent, EngineRequest } from '../../engine/types';
import type { EngineObserver } from '../real-time-engine';
import { Histogram } from './histogram';

// vLLM's bucket bounds.
const FIRST_TOKEN_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
const TOKEN_INTERVAL_BOUNDS = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const REQUEST_BOUNDS = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680];
const LENGTH_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

interface Progress {
  readonly arrivedAt: number;
  readonly promptTokens: number;
  lastTokenAt: number | undefined;
}

/** Counters and histograms of what the engine did, in engine time: at speed 10 they still read as the modelled GPU would. */
export class Statistics implements EngineObserver {
  promptTokens = 0;
  generatedTokens = 0;
  finished = 0;
  aborted = 0;
  readonly firstTokenSeconds = new Histogram(FIRST_TOKEN_BOUNDS);
  readonly tokenIntervalSeconds = new Histogram(TOKEN_INTERVAL_BOUNDS);
  readonly requestSeconds = new Histogram(REQUEST_BOUNDS);
  readonly promptLengths = new Histogram(LENGTH_BOUNDS);
  readonly generationLengths = new Histogram(LENGTH_BOUNDS);
  /** Entries leave with their request. */
  private readonly progress = new Map<string, Progress>();

  submitted(at: number, { id, promptTokens }: EngineRequest): void {
    this.progress.set(id, { arrivedAt: at, promptTokens, lastTokenAt: undefined });
  }

  happened(event: EngineEvent): void {
    if (event.type === 'tokens') for (const id of event.ids) this.tokenGenerated(id, event.at);
    else if (event.type === 'finished') this.requestFinished(event.id, event.at, event.generatedTokens);
    else if (event.type === 'rejected') this.progress.delete(event.id);
  }

  cancelled(id: string): void {
    if (this.progress.delete(id)) this.aborted++;
  }

  private tokenGenerated(id: string, at: number): void {
    const request = this.progress.get(id);
    if (request === undefined) return;
    this.generatedTokens++;
    if (request.lastTokenAt === undefined) this.firstTokenSeconds.observe(at - request.arrivedAt);
    else this.tokenIntervalSeconds.observe(at - request.lastTokenAt);
    request.lastTokenAt = at;
  }

  private requestFinished(id: string, at: number, generatedTokens: number): void {
    const request = this.progress.get(id);
    if (request === undefined) return;
    this.progress.delete(id);
    this.finished++;
    this.promptTokens += request.promptTokens;
    this.requestSeconds.observe(at - request.arrivedAt);
    this.promptLengths.observe(request.promptTokens);
    this.generationLengths.observe(generatedTokens);
  }
}
