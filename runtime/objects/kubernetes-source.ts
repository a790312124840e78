import type { Logger } from 'pino';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { ConfigInUse, type ConfigInUseOptions, type UsableConfig } from './config-in-use';
import { FirstPods } from './first-pods';
import { GoodObjects, sourceOf } from './good-objects';
import { KubernetesInformers } from './kubernetes-informers';
import type { ObjectSet, ObjectSource } from './object-source';
import { PickingInForce } from './picking-in-force';
import { usablePods } from './usable-pods';

export interface KubernetesSourceOptions extends ConfigInUseOptions {
  /** Of the InferenceGatewayConfig. */
  readonly namespace: string;
  readonly name: string;
  readonly client: ApiClient;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Changes that come within so short a time are one set. Milliseconds, default 20. */
  readonly settleMs?: number;
}

export interface KubernetesSource extends ObjectSource {
  /** Milliseconds since the API server last said something of the kind that it has been silent about for longest. */
  silentMs(): number;
  /** The API server has said whether there is a config. */
  isAnswered(): boolean;
}

/** What is waited for is said after so long, and then so often, until there is a first set. Milliseconds. */
const SAY_AFTER_MS = 5_000;
const SAY_EVERY_MS = 60_000;

/**
 * The objects of one gateway, from the Kubernetes API. Gives whole sets only: the first once every kind is known, and a
 * config that needs other pods or ConfigMaps than the one before once those are known too. A config that is faulty, or gone,
 * changes nothing, and where it is so from the start that of the last run goes on; nor does any time without the API server. A faulty object of another kind counts as it last was, or
 * not at all; so do a scheduler's weights. Each fault is told once until it changes.
 */
export function kubernetesSource(options: KubernetesSourceOptions): KubernetesSource {
  const { namespace, name, clock, log, settleMs = 20 } = options;
  const gateway = `${namespace}/${name}`;
  let informers: KubernetesInformers | undefined;

  return {
    silentMs: () => informers?.silentMs() ?? 0,
    isAnswered: () => informers?.isAnswered ?? false,
    async watch(onChange, onFault, signal) {
      const config = new ConfigInUse(options);
      const good = new GoodObjects();
      const picking = new PickingInForce();
      const firstPods = new FirstPods();
      let given = false;
      let due = false;
      let told: ReadonlySet<string> = new Set();

      function tell(faults: readonly string[]): void {
        for (const fault of faults) if (!told.has(fault)) onFault(new Error(fault));
        told = new Set(faults);
      }

      function give(): void {
        due = false;
        if (signal.aborted) return;
        if (config.look(watched.theConfig())) {
          log.warn({ gateway }, 'the InferenceGatewayConfig is gone; the last one stays in force');
        }
        if (config.next !== undefined) watched.need(config.next.needs);
        config.advance((needs) => watched.unknown(needs).length === 0);
        watched.keep(config.needs());
        const assembled =
          config.current && assemble(config.current, watched, { good, picking, firstPods }, clock.now());
        tell([...config.faults, ...(assembled?.faults ?? [])]);
        if (assembled === undefined) return;
        if (assembled.dueIn !== undefined) void clock.sleep(assembled.dueIn, signal).then(changed);
        given = true;
        onChange(assembled.set);
      }

      const changed = () => {
        if (due) return;
        due = true;
        void clock.sleep(settleMs, signal).then(give);
      };
      const watched = new KubernetesInformers({ ...options, signal, onChange: changed });
      informers = watched;
      await clock.sleep(SAY_AFTER_MS, signal);
      while (!given && !signal.aborted) {
        log.warn({ gateway, reason: missing(watched, config) }, 'waiting for the objects of the gateway');
        await clock.sleep(SAY_EVERY_MS, signal);
      }
      await watched.done();
    },
  };
}

/** The set around a config, and what is wrong in it. */
function assemble(
  { object, needs: { podSelectors, references } }: UsableConfig,
  watched: KubernetesInformers,
  { good, picking, firstPods }: { good: GoodObjects; picking: PickingInForce; firstPods: FirstPods },
  now: number,
) {
  const { written, pods } = watched.objects({ podSelectors, references });
  const admitted = firstPods.admit(usablePods(pods), now);
  const choice = good.choose([...written, ...admitted.pods], references);
  const settled = picking.settle(object, references, choice);
  const set: ObjectSet = { objects: settled.objects.map((value) => ({ source: sourceOf(value), value })) };
  return { set, faults: [...choice.faults, ...settled.faults], dueIn: admitted.dueIn };
}

/** In words. */
function missing(watched: KubernetesInformers, { next, faults }: ConfigInUse): string {
  if (!watched.isAnswered) return 'the API server has not answered yet';
  if (watched.theConfig() === undefined) return 'there is no such InferenceGatewayConfig';
  if (next === undefined && faults.length > 0) return `the InferenceGatewayConfig has faults: ${faults.join('; ')}`;
  return `not known yet: ${watched.unknown(next?.needs ?? { podSelectors: [], references: [] }).join(', ')}`;
}
