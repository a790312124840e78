import { gatewayClass } from '../../lib/translate/cluster/envoy-gateway/gateway';
import type { Installation, Problem } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import { type ApplyOptions, applyObject } from './apply-gateway';

/** What the whole cluster needs before there can be any gateway. */
export interface ClusterSetup {
  /** Undefined: not done yet. Those that block hold up every gateway. */
  problems(): readonly Problem[] | undefined;
  /** Can be repeated at any time. Resolves with the milliseconds after which it is to be. */
  run(signal: AbortSignal): Promise<number>;
}

export interface Preparation {
  readonly problems: readonly Problem[];
  /** When it is to be done again. Milliseconds from now. */
  readonly dueIn?: number;
}

export type ClusterSetupOptions = Omit<ApplyOptions, 'signal'> & {
  readonly installation: Installation;
  /** CustomResourceDefinitions, and what Envoy Gateway waits for. Rejects with an ApiError where it cannot. */
  readonly prepare: (client: ApiClient, signal: AbortSignal) => Promise<Preparation>;
};

/** Somebody may have changed what it sets up; with problems, somebody may have seen to them. Milliseconds. */
const PREPARE_MS = 300_000;
const BLOCKED_MS = 30_000;

export function createClusterSetup(options: ClusterSetupOptions): ClusterSetup {
  const { client, installation, applied, seen, clock, prepare } = options;
  let problems: readonly Problem[] | undefined;
  /** When it is to be prepared again. */
  let prepareAt = Number.NEGATIVE_INFINITY;
  return {
    problems: () => problems,
    async run(signal) {
      if (clock.now() >= prepareAt) {
        const prepared = await prepare(client, signal);
        problems = prepared.problems;
        const again = problems.length > 0 ? BLOCKED_MS : PREPARE_MS;
        prepareAt = clock.now() + Math.min(again, prepared.dueIn ?? again);
      }
      // There from the start, so that it shows whether the gateway is installed.
      const object = gatewayClass({ installation });
      if (applied.dueIn(object, seen(object), clock.now()) === 0) {
        const answer = await applyObject(object, { ...options, signal });
        if (answer instanceof Error) throw answer;
      }
      return prepareAt - clock.now();
    },
  };
}
