import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child-process';
import { type DecisionTime, decisionTime, readDecisionHistogram } from './decision-time';
import type { Leg, LegName } from './leg';
import type { Load, LoadReport, LoadRequest } from './load-generator';
import type { PodsRequest, PodsResponse } from './pod-server';
import { machineBusySeconds, type ProcessUsage, processUsage } from './process-usage';

/** What is varied. */
export interface Cell {
  readonly pods: number;
  readonly bodyBytes: number;
  readonly load: Load;
}

/** One leg under one load for one round. CPU is microseconds of user and system time for each completed request. */
export interface Sample extends LoadReport {
  readonly cell: Cell;
  readonly leg: LegName;
  readonly round: number;
  readonly envoyMicros: number;
  /** Of the router and, where it is apart, the picker. */
  readonly processorMicros?: number;
  readonly generatorMicros: number;
  readonly processorMiB?: number;
  /** Busy processors of the whole machine, whoever used them. */
  readonly machineCores: number;
  readonly scrapesPerRequest: number;
  readonly decision?: DecisionTime;
}

/** A leg without requests: what reading the pods' metrics costs. */
export interface ScrapeSample {
  readonly pods: number;
  /** Whether the pods say that they have work. */
  readonly working: boolean;
  readonly cores: number;
  readonly scrapesPerSecond: number;
  readonly microsPerScrape: number;
  readonly processorMiB: number;
}

/** The processes around the leg. */
export interface Rig {
  readonly generator: Child<LoadRequest, LoadReport>;
  readonly pods: Child<PodsRequest, PodsResponse>;
  readonly model: string;
}

/** The intervals of an adaptive scraper have settled after this. */
const SETTLE_MS = 2_000;

export async function measureLoad(
  rig: Rig,
  leg: Leg,
  cell: Cell,
  round: number,
  durations: { readonly warmUpMs: number; readonly measureMs: number },
): Promise<Sample> {
  const request = { port: leg.port, model: rig.model, bodyBytes: cell.bodyBytes, load: cell.load };
  await rig.generator.call({ ...request, durationMs: durations.warmUpMs });
  const before = await snapshot(rig, leg);
  const report = await rig.generator.call({ ...request, durationMs: durations.measureMs });
  const after = await snapshot(rig, leg);
  const perRequest = (from?: number, to?: number) => ((to! - from!) * 1e6) / report.completed;
  const decision = before.decisions && after.decisions ? decisionTime(before.decisions, after.decisions) : undefined;
  return {
    ...report,
    cell,
    leg: leg.name,
    round,
    envoyMicros: perRequest(before.envoy.cpuSeconds, after.envoy.cpuSeconds),
    generatorMicros: perRequest(before.generator.cpuSeconds, after.generator.cpuSeconds),
    ...(after.processor && {
      processorMicros: perRequest(before.processor?.cpuSeconds, after.processor.cpuSeconds),
      processorMiB: after.processor.residentMiB,
    }),
    machineCores: (after.busySeconds - before.busySeconds) / (after.at - before.at),
    scrapesPerRequest: (after.scrapes - before.scrapes) / report.completed,
    ...(decision && { decision }),
  };
}

export async function measureScraping(
  rig: Rig,
  leg: Leg,
  pods: number,
  working: boolean,
  durationMs: number,
): Promise<ScrapeSample> {
  await rig.pods.call({ kind: 'working', working });
  await sleep(SETTLE_MS);
  const before = await snapshot(rig, leg);
  await sleep(durationMs);
  const after = await snapshot(rig, leg);
  const cpuSeconds = after.processor!.cpuSeconds - before.processor!.cpuSeconds;
  const scrapes = after.scrapes - before.scrapes;
  const seconds = after.at - before.at;
  return {
    pods,
    working,
    cores: cpuSeconds / seconds,
    scrapesPerSecond: scrapes / seconds,
    microsPerScrape: (cpuSeconds * 1e6) / scrapes,
    processorMiB: after.processor!.residentMiB,
  };
}

async function snapshot(rig: Rig, leg: Leg) {
  const url = leg.metricsUrl?.();
  const page = url === undefined ? undefined : await (await fetch(url)).text();
  const { scrapes } = await rig.pods.call({ kind: 'counts' });
  const { envoy, processor, picker } = leg.pids();
  return {
    decisions: page === undefined ? undefined : readDecisionHistogram(page),
    scrapes,
    envoy: processUsage(envoy),
    processor: processor === undefined ? undefined : sum([processor, picker].flatMap((pid) => pid ?? [])),
    generator: processUsage(rig.generator.pid),
    busySeconds: machineBusySeconds(),
    at: performance.now() / 1_000,
  };
}

function sum(pids: readonly number[]): ProcessUsage {
  const usages = pids.map(processUsage);
  return {
    cpuSeconds: usages.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0),
    residentMiB: usages.reduce((total, { residentMiB }) => total + residentMiB, 0),
  };
}
