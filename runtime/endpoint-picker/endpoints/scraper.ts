import type { MetricsSource, MetricsWatch, ScrapeTarget } from '../metrics-source';
import type { PickerLog, PickerObserver } from '../observe';
import { ENGINE_SIGNALS } from './engines';
import { parseMetrics } from './metrics-parser';
import { pagePlace } from './page-place';
import { connect, type Scrape } from './scrape';
import { stretched } from './scrape-interval';

export interface ScraperOptions {
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly observe: Pick<PickerObserver, 'scraped'>;
  readonly log: PickerLog;
  /** Milliseconds between two scrapes of a pod that works; default 200, longer where very many pods work. */
  readonly intervalMs?: number;
  /** The same of a pod that is idle or does not answer; default 1000. */
  readonly idleIntervalMs?: number;
  /**
   * Milliseconds until a scrape of an idle pod that answers in time is given up; default 750. With the idle interval it
   * bounds the time in which a frozen pod is found: below 2 s.
   */
  readonly timeoutMs?: number;
}

/** A real page has tens of kilobytes. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** A scrape is given up at this multiple of the usual limit, however slow the pod was before. */
const LONGEST_LIMIT = 8;

/**
 * The limit of a pod that has requests of ours, as a multiple: a burst holds up its front end, and as it is read more often
 * it is found frozen as soon.
 */
const BUSY_PATIENCE = 2;

/** Scrapes in flight at once over all pods. Frozen pods hold a place until the timeout, so it is far above need. */
const MAX_PARALLEL = 256;

/**
 * Reads the metrics pages of model servers: each pod on its own kept connection, one request in flight a pod, at an
 * interval that grows while the pod is idle, and with the number of pods. Pods are scraped at different moments of the
 * interval. Faults are logged when they begin, change and end.
 */
export function createScraper(options: ScraperOptions): MetricsSource {
  const waiting: Array<() => void> = [];
  const watches = new Set<PodScraper>();
  let inFlight = 0;

  const shared: Shared = {
    working: 0,
    pods: () => watches.size,
    take(start) {
      if (inFlight >= MAX_PARALLEL) waiting.push(start);
      else {
        inFlight += 1;
        start();
      }
    },
    free() {
      const next = waiting.shift();
      if (next === undefined) inFlight -= 1;
      else next();
    },
  };

  return {
    watch(target) {
      const scraper = scrapePod(target, options, shared);
      watches.add(scraper);
      return {
        wake: scraper.wake,
        stop() {
          if (!watches.delete(scraper)) return;
          scraper.close().catch(() => undefined);
        },
      };
    },
    async close() {
      const closing = [...watches].map((scraper) => scraper.close());
      watches.clear();
      await Promise.all(closing);
    },
  };
}

/** What all pods share: the intervals, and the bound on parallel scrapes. Whoever took a place frees it, once. */
interface Shared {
  /** Pods that worked at their last scrape. */
  working: number;
  pods(): number;
  take(start: () => void): void;
  free(): void;
}

interface PodScraper extends Omit<MetricsWatch, 'stop'> {
  close(): Promise<void>;
}

function scrapePod(target: ScrapeTarget, options: ScraperOptions, shared: Shared): PodScraper {
  const { clock, random, observe, log } = options;
  const shortest = () => stretched(options.intervalMs ?? 200, shared.working);
  const longest = () => Math.max(shortest(), stretched(options.idleIntervalMs ?? 1000, shared.pods()));
  const connection = connect(pagePlace(target), { maxPageBytes: MAX_PAGE_BYTES });
  const timeoutMs = options.timeoutMs ?? 750;
  const fields = { pod: target.pod, scheduler: target.scheduler, address: target.address };

  /** Of this pod. */
  let limitMs = timeoutMs;
  let intervalMs = shortest();
  target.paced(intervalMs);
  let works = false;
  let fault = '';
  let toldOfMissing = false;
  let closed = false;
  // The first at once, the second at a chance moment of the interval: that spreads pods that appeared together.
  let first = true;
  let scraping = true;
  let dueAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    dueAt = clock() + delayMs;
    timer = setTimeout(begin, delayMs);
  }

  /** A pod whose page takes long is not given up each time: the limit is twice what it took last. */
  function nextLimit(tookMs: number): number {
    return Math.min(timeoutMs * LONGEST_LIMIT, Math.max(timeoutMs, 2 * tookMs));
  }

  function pace(nextMs: number): void {
    if (nextMs === intervalMs) return;
    intervalMs = nextMs;
    target.paced(nextMs);
  }

  function setWorks(now: boolean): void {
    shared.working += Number(now) - Number(works);
    works = now;
  }

  function begin(): void {
    scraping = true;
    shared.take(scrape);
  }

  function scrape(): void {
    if (closed) {
      shared.free();
      return;
    }
    const start = clock();
    target.sent();
    connection.get(target.busy() ? limitMs * BUSY_PATIENCE : limitMs, (result) => {
      shared.free();
      if (closed) return;
      const tookMs = clock() - start;
      observe.scraped(target.scheduler, result.outcome, tookMs);
      limitMs = nextLimit(result.outcome === 'timeout' ? limitMs : tookMs);
      scraping = false;
      setWorks(read(result));
      pace(works ? shortest() : Math.min(longest(), intervalMs * 2));
      schedule(first ? random() * intervalMs : Math.max(0, intervalMs - (clock() - start)));
      first = false;
    });
  }

  /** Hands the answer on; tells whether the pod works. */
  function read(result: Scrape): boolean {
    noteFault(result.outcome === 'ok' ? '' : `${result.outcome}: ${result.detail}`);
    if (result.outcome === 'no-metrics') {
      target.answered('no-metrics');
      return false;
    }
    // A pod that is picked stays due at the short interval, but only while it answers: a dead one is not hurried.
    if (result.outcome !== 'ok') {
      target.failed(result.outcome);
      return false;
    }
    const metrics = parseMetrics(result.page, target.engine);
    const { waiting, running } = metrics;
    noteMissing(Number.isNaN(waiting));
    target.answered(metrics);
    return waiting + running > 0 || target.busy();
  }

  function noteFault(now: string): void {
    if (now === fault) return;
    if (now === '') log.info(fields, 'metrics of the pod are read again');
    else log.warn({ ...fields, fault: now }, 'metrics of the pod cannot be read');
    fault = now;
  }

  function noteMissing(missing: boolean): void {
    if (missing && !toldOfMissing) {
      const names = ENGINE_SIGNALS[target.engine].waiting.map(({ sample }) => sample);
      const message = 'the metrics page of the pod lacks the number of waiting requests: is engineType right?';
      log.warn({ ...fields, engine: target.engine, names }, message);
    }
    toldOfMissing ||= missing;
  }

  begin();
  return {
    wake() {
      const soonest = shortest();
      if (closed || intervalMs <= soonest || fault !== '') return;
      pace(soonest);
      if (!scraping && dueAt - clock() > soonest) schedule(soonest);
    },
    async close() {
      closed = true;
      setWorks(false);
      clearTimeout(timer);
      await connection.close();
    },
  };
}
