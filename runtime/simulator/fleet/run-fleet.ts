import { seededRandom } from '../engine/seeded-random';
import type { EngineEvent } from '../engine/types';
import { createAgenda } from './agenda';
import type { FleetRequest } from './fleet-request';
import type { FleetEvent, FleetRun } from './fleet-run';
import { createNextPod } from './next-pod';
import { createOutcome } from './outcome';
import type { Choice, FleetView } from './policy';
import type { RunResult } from './run-result';
import { createSimulatedPod, type LiveRequest, type SimulatedPod } from './simulated-pod';
import { createSimulatedScrapes } from './simulated-scrapes';

/** Until a client notices that a pod refuses its connection and the next one is tried. Seconds. */
const REFUSED_CONNECTION_SECONDS = 0.001;

/**
 * Runs a fleet until its workload has arrived and every request has ended. The same arguments give the same result.
 * At one moment pods come first, then what is planned, then arrivals.
 */
export function runFleet(run: FleetRun): RunResult {
  let now = 0;
  let live = 0;
  let requestNumber = 0;
  let metricsOut = false;
  let preemptions = 0;
  const agenda = createAgenda();
  const nextPod = createNextPod(run.pods.length);
  const outcome = createOutcome(run.pods.length, run.warmupSeconds, run.firstTokenLimitSeconds);
  const pods = run.pods.map((spec, number) =>
    createSimulatedPod(number, spec, () => now, seededRandom(run.seed * 7919 + 31 * number + 1)),
  );
  const byAddress = new Map(pods.map((pod) => [pod.address, pod]));
  const readinessListeners: Array<() => void> = [];

  const view: FleetView = {
    pods,
    now: () => now,
    after(seconds, work) {
      let cancelled = false;
      agenda.plan(now + seconds, () => {
        if (!cancelled) work();
      });
      return () => {
        cancelled = true;
      };
    },
    maxQueueTimeSeconds: run.maxQueueTimeSeconds,
    random: seededRandom(run.seed * 7919 + 7),
    onReadiness: (listener) => readinessListeners.push(listener),
    metrics: createSimulatedScrapes({
      agenda,
      now: () => now,
      random: seededRandom(run.seed * 7919 + 17),
      network: run.network,
      interval: run.scrapeInterval ?? run.policy.scrapeInterval,
      podAt(address) {
        const pod = byAddress.get(address);
        return pod === undefined ? undefined : { pod, lost: pod.lost };
      },
      isOut: () => metricsOut,
    }),
  };

  function changeReadiness(pod: SimulatedPod, ready: boolean): void {
    if (pod.ready === ready) return;
    pod.ready = ready;
    for (const listener of readinessListeners) listener();
  }

  function perform(event: FleetEvent): void {
    if (!('pod' in event)) {
      metricsOut = event.kind === 'metrics-outage';
      return;
    }
    const pod = pods[event.pod]!;
    if (event.kind === 'speed') {
      pod.setSpeed(event.factor);
    } else if (event.kind === 'pod-lost') {
      pod.lost = true;
      for (const request of pod.lose()) fail(request);
      agenda.plan(now + run.noticeSeconds, () => changeReadiness(pod, !pod.lost));
    } else {
      pod.lost = false;
      changeReadiness(pod, true);
    }
    nextPod.set(pod.number, pod.nextEventTime());
  }

  function fail({ request, ticket }: LiveRequest): void {
    live -= 1;
    outcome.failed(request);
    ticket?.ended(false);
  }

  function arrive(request: FleetRequest): void {
    outcome.arrived(request);
    const choice = policy.choose(request);
    if (typeof choice === 'string' || 'pods' in choice) {
      settle(request, choice);
      return;
    }
    live += 1;
    choice.whenSettled((settled) => {
      live -= 1;
      settle(request, settled);
    });
  }

  function settle(request: FleetRequest, choice: Choice): void {
    if (choice === 'refused') outcome.refused(request);
    else if (choice === 'expired') outcome.expired(request);
    else if (choice === 'no-endpoints') outcome.failed(request);
    else {
      live += 1;
      connect({ request, ticket: choice.ticket, firstTokenAt: Number.NaN }, choice.pods, 0);
    }
  }

  /** Tries the pods from place `from` on. */
  function connect(request: LiveRequest, choice: readonly number[], from: number): void {
    const pod = pods[choice[from] ?? -1];
    if (pod === undefined) {
      fail(request);
    } else if (pod.lost) {
      agenda.plan(now + REFUSED_CONNECTION_SECONDS, () => connect(request, choice, from + 1));
    } else {
      if (from > 0) request.ticket?.served?.(pod.number);
      outcome.sentTo(pod.number);
      pod.submit(now, requestNumber++, request);
      nextPod.set(pod.number, pod.nextEventTime());
    }
  }

  function happened(pod: SimulatedPod, event: EngineEvent): void {
    if (event.type === 'first-token') {
      const request = pod.live(event.id);
      request.firstTokenAt = event.at;
      request.ticket?.firstToken?.();
    } else if (event.type === 'finished') {
      const request = pod.take(event.id);
      live -= 1;
      outcome.finished(request, event);
      request.ticket?.ended(true);
    } else if (event.type === 'rejected') {
      fail(pod.take(event.id));
    } else if (event.type === 'preempted') {
      preemptions += 1;
    }
  }

  function advancePod(): void {
    const pod = pods[nextPod.pod]!;
    for (const event of pod.advance(now)) happened(pod, event);
    nextPod.set(pod.number, pod.nextEventTime());
  }

  const policy = run.policy.create(view);
  for (const event of run.events) agenda.plan(event.at, () => perform(event));
  const arrivals = run.workload[Symbol.iterator]();
  let arrival = arrivals.next();
  while (!arrival.done || live > 0) {
    const arrivesAt = arrival.done ? Number.POSITIVE_INFINITY : arrival.value.at;
    const plannedAt = agenda.nextTime();
    now = Math.min(nextPod.time, plannedAt, arrivesAt);
    if (nextPod.time <= now) advancePod();
    else if (plannedAt <= now) agenda.perform();
    else if (!arrival.done) {
      arrive(arrival.value);
      arrival = arrivals.next();
    }
  }
  return outcome.result(preemptions);
}
