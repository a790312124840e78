import type { MetricsSource, ScrapeTarget } from '../../endpoint-picker/metrics-source';
import type { Agenda } from './agenda';
import type { FleetPod, ScrapeInterval } from './policy';

/** The network between the scraper and the pods. */
export interface ScrapeNetwork {
  /** From a scrape's start to its answer; the page is made half-way. */
  readonly delaySeconds: number;
  /** Share of scrapes that are never answered. 0..1. */
  readonly loss: number;
}

interface ScrapeSurroundings {
  readonly agenda: Agenda;
  readonly now: () => number;
  readonly random: () => number;
  readonly network: ScrapeNetwork;
  readonly interval: ScrapeInterval;
  /** The pod at an address, and whether it is up. */
  podAt(address: string): { readonly pod: FleetPod; readonly lost: boolean } | undefined;
  /** No scrape is answered at present. */
  isOut(): boolean;
}

/** Of the shipped scraper, at an idle pod and at one with requests in flight. */
const IDLE_TIMEOUT_SECONDS = 0.75;
const BUSY_TIMEOUT_SECONDS = 1.5;

/** Scrapes in virtual time, at the pace of the shipped scraper: the idle interval until the pod has work. */
export function createSimulatedScrapes(surroundings: ScrapeSurroundings): MetricsSource {
  const { agenda, now, random, network, interval } = surroundings;

  function watch(target: ScrapeTarget) {
    let stopped = false;
    let busy = false;
    // The number of the plan that counts: an earlier one is dropped when the pod gets work.
    let current = 0;
    let dueAt = 0;

    function plan(at: number): void {
      dueAt = at;
      const number = ++current;
      agenda.plan(at, () => {
        if (!stopped && number === current) scrape();
      });
    }

    function pace(): number {
      const nowBusy = target.busy();
      const seconds = nowBusy ? interval.busySeconds : interval.idleSeconds;
      if (nowBusy !== busy) {
        busy = nowBusy;
        target.paced(seconds * 1000);
      }
      return seconds;
    }

    function scrape(): void {
      target.sent();
      const intervalSeconds = pace();
      const there = surroundings.podAt(target.address);
      if (there === undefined || surroundings.isOut() || random() < network.loss) {
        const timeoutSeconds = busy ? BUSY_TIMEOUT_SECONDS : IDLE_TIMEOUT_SECONDS;
        plan(now() + Math.max(intervalSeconds, timeoutSeconds));
        agenda.plan(now() + timeoutSeconds, () => {
          if (!stopped) target.failed('timeout');
        });
        return;
      }
      plan(now() + intervalSeconds);
      if (there.lost) {
        agenda.plan(now() + network.delaySeconds, () => {
          if (!stopped) target.failed('refused');
        });
        return;
      }
      agenda.plan(now() + network.delaySeconds / 2, () => {
        const metrics = there.pod.metrics();
        agenda.plan(now() + network.delaySeconds / 2, () => {
          if (!stopped) target.answered(metrics);
        });
      });
    }

    target.paced(interval.idleSeconds * 1000);
    plan(now() + random() * Math.min(interval.idleSeconds, interval.busySeconds));
    return {
      wake() {
        const soonest = now() + interval.busySeconds;
        if (stopped || busy || dueAt <= soonest) return;
        busy = true;
        target.paced(interval.busySeconds * 1000);
        plan(soonest);
      },
      stop() {
        stopped = true;
      },
    };
  }

  return { watch, close: () => Promise.resolve() };
}
