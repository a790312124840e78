import type { Logger } from 'pino';
import type { Clock } from '../../kubernetes/clock';
import type { ServedResources } from '../../kubernetes/served-resources';
import type { ShippedCrd } from './shipped-crd';

export interface WaitForCrdsOptions {
  readonly served: Pick<ServedResources, 'of'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const POLL_MS = 1_000;

/** What is still missing is logged so often. Milliseconds. */
const SAY_MS = 10_000;

/** A kind that the gateway does not use itself may never come. Milliseconds. */
const UNUSED_MS = 5_000;

/**
 * Resolves once the API server serves all that comes with the gateway: at its start Envoy Gateway passes over what is not
 * there, and never looks again. Without an end of its own; rejects with the signal.
 */
export async function waitForCrds(shipped: readonly ShippedCrd[], options: WaitForCrdsOptions): Promise<void> {
  const { clock, log, signal } = options;
  const startedAt = clock.now();
  let saidAt = startedAt;
  let usedAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const missing = await missingCrds(shipped, options);
    if (missing.length === 0) return;
    if (missing.every(({ use }) => use === undefined)) {
      usedAt ??= clock.now();
      if (clock.now() - usedAt >= UNUSED_MS) return;
    }
    if (clock.now() - saidAt >= SAY_MS) {
      saidAt = clock.now();
      log.info(
        { missing: missing.map(nameOf) },
        'waiting for CustomResourceDefinitions, which the controller installs',
      );
    }
    await clock.sleep(POLL_MS, signal);
  }
}

async function missingCrds(
  shipped: readonly ShippedCrd[],
  { served, log, signal }: WaitForCrdsOptions,
): Promise<readonly ShippedCrd[]> {
  const asked = new Map<string, Promise<ReadonlySet<string>>>();
  const found = await Promise.all(
    shipped.map(async (crd) => {
      const { group } = crd.definition.spec;
      const version = versionOf(crd);
      const key = `${group}/${version}`;
      let answer = asked.get(key);
      if (answer === undefined) {
        answer = served.of(group, version, signal).catch((error: Error) => {
          signal.throwIfAborted();
          log.warn(`the API server could not be asked: ${error.message}`);
          return new Set<string>();
        });
        asked.set(key, answer);
      }
      // Their names are `plural.group`.
      return (await answer).has(nameOf(crd).slice(0, -group.length - 1));
    }),
  );
  return shipped.filter((_, index) => found[index] === false);
}

function versionOf({ use, definition }: ShippedCrd): string {
  return use?.version ?? definition.spec.versions.find(({ storage }) => storage)?.name ?? '';
}

function nameOf({ definition }: ShippedCrd): string {
  return definition.metadata.name;
}
