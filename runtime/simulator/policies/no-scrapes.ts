import type { ScrapeInterval } from '../fleet/policy';

/** Of a policy that reads no metrics. */
export const NO_SCRAPES: ScrapeInterval = {
  busySeconds: Number.POSITIVE_INFINITY,
  idleSeconds: Number.POSITIVE_INFINITY,
};
