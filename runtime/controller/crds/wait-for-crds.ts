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

/** What is still missing, or that nobody answers, is logged so often. Milliseconds. */
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
  let complainedAt: number | undefined;
  let usedAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { missing, fault } = await look(shipped, options);
    if (missing.length === 0) return;
    if (missing.every(({ use }) => use === undefined)) {
      usedAt ??= clock.now();
      if (clock.now() - usedAt >= UNUSED_MS) return;
    }
    if (fault !== undefined && clock.now() - (complainedAt ?? Number.NEGATIVE_INFINITY) >= SAY_MS) {
      complainedAt = clock.now();
      log.warn(`the API server could not be asked: ${fault.message}`);
    }
    if (fault === undefined && clock.now() - saidAt >= SAY_MS) {
      saidAt = clock.now();
      log.info(
        { missing: missing.map(nameOf) },
        'waiting for CustomResourceDefinitions, which the controller installs',
      );
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** Those that are not served, as far as the API server has answered; `fault`: of one that did not. */
async function look(
  shipped: readonly ShippedCrd[],
  { served, signal }: WaitForCrdsOptions,
): Promise<{ readonly missing: readonly ShippedCrd[]; readonly fault: Error | undefined }> {
  let fault: Error | undefined;
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
          fault ??= error;
          return new Set<string>();
        });
        asked.set(key, answer);
      }
      // Their names are `plural.group`.
      return (await answer).has(nameOf(crd).slice(0, -group.length - 1));
    }),
  );
  return { missing: shipped.filter((_, index) => found[index] === false), fault };
}

function versionOf({ use, definition }: ShippedCrd): string {
  return use?.version ?? definition.spec.versions.find(({ storage }) => storage)?.name ?? '';
}

function nameOf({ definition }: ShippedCrd): string {
  return definition.metadata.name;
}
