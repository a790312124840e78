import { gatewayClass } from '../../lib/translate/cluster/envoy-gateway/gateway';
import type { Installation, Problem } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import { type ApplyOptions, applyObject } from './apply-gateway';

/** What the whole cluster needs before there can be any gateway. */
export interface ClusterSetup {
  /** Undefined: not done yet. Those that block hold up every gateway. */
  problems(): readonly Problem[] | undefined;
  /** Can be repeated at any time. Resolves with the milliseconds after which it is to be; rejects where it is to be tried again. */
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

/** What fails for a moment is nobody's concern. Milliseconds. */
const LASTING_MS = 20_000;

export function createClusterSetup(options: ClusterSetupOptions): ClusterSetup {
  const { client, installation, applied, seen, clock, prepare } = options;
  let prepared: readonly Problem[] | undefined;
  /** Why the last try came to nothing, and since when they do. */
  let fault: { readonly message: string; readonly since: number } | undefined;
  /** When it is to be prepared again. */
  let prepareAt = Number.NEGATIVE_INFINITY;

  async function prepareAnew(signal: AbortSignal): Promise<void> {
    try {
      const { problems, dueIn } = await prepare(client, signal);
      prepared = problems;
      fault = undefined;
      const again = problems.length > 0 ? BLOCKED_MS : PREPARE_MS;
      prepareAt = clock.now() + Math.min(again, dueIn ?? again);
    } catch (error) {
      signal.throwIfAborted();
      fault = { message: (error as Error).message, since: fault?.since ?? clock.now() };
      throw error;
    }
  }

  return {
    problems() {
      if (fault === undefined || clock.now() - fault.since < LASTING_MS) return prepared;
      // What was prepared once goes on serving.
      return [...(prepared ?? []), setupFailed(fault.message, prepared === undefined)];
    },
    async run(signal) {
      if (clock.now() >= prepareAt) await prepareAnew(signal);
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

function setupFailed(fault: string, blocks: boolean): Problem {
  return {
    ...(blocks && { condition: 'Accepted' as const }),
    reason: 'SetupFailed',
    message: `the definitions and certificates that all gateways need could not be made: ${fault.replace(/[.\s]+$/, '')}; see to what refuses it, the controller tries again`,
    blocks,
  };
}
