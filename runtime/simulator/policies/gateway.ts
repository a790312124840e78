import { SCHEDULER_PROFILES } from '../../../lib/api/inference-gateway-config/scorer-weights';
import type { BandLimits, FlowControlState, GatewayState, ScorerWeights } from '../../../lib/translate/gateway-state';
import { type Admission, createAdmission } from '../../endpoint-picker/admission/admission';
import type { PickRequest, PickResult } from '../../endpoint-picker/endpoint-picker';
import type { PickerObserver } from '../../endpoint-picker/observe';
import { createPicker } from '../../endpoint-picker/picker';
import { TOKEN_BYTES } from '../engine/types';
import type { FleetRequest } from '../fleet/fleet-request';
import type { Choice, FleetView, PolicyKind } from '../fleet/policy';

/** The status that the router tells the picker when an answer came to its end. */
const OK = 200;

export interface GatewayOptions {
  readonly weights: ScorerWeights;
  /** Absent: off, as in a configuration that says nothing of it. */
  readonly flowControl?: FlowControlState;
}

/** The shipped picker, with its admission, scheduling, ledger and prefix index, over simulated scrapes. */
export function gatewayPolicy(name: string, options: GatewayOptions): PolicyKind {
  return {
    name,
    // Those of the shipped scraper.
    scrapeInterval: { busySeconds: 0.2, idleSeconds: 1 },
    create(view) {
      const clock = () => view.now() * 1000;
      let admission: Admission | undefined;
      const picker = createPicker({
        state: stateOf(view, options),
        metrics: view.metrics,
        clock,
        random: view.random,
        observe: OBSERVE,
        roomChanged: (scheduler) => admission?.roomChanged(scheduler),
      });
      admission = createAdmission({
        picker,
        state: stateOf(view, options),
        clock,
        after: (delayMs, work) => view.after(delayMs / 1000, work),
        observe: { left() {}, refused() {} },
      });
      const numbers = new Map(view.pods.map(({ address, number }) => [address, number]));
      view.onReadiness(() => {
        const state = stateOf(view, options);
        picker.update(state);
        admission.update(state);
      });

      function choiceOf(result: PickResult): Choice {
        if (result.outcome === 'expired') return 'expired';
        if (result.outcome === 'saturated' || result.outcome === 'queue-full') return 'refused';
        if (result.outcome !== 'picked') return 'no-endpoints';
        const { ticket } = result;
        return {
          pods: result.endpoints.map((address) => numbers.get(address)!),
          ticket: {
            served: (pod) => ticket.served(view.pods[pod]!.address),
            ...(result.sampleFirstToken === true && { firstToken: () => ticket.firstToken() }),
            ended: (ok) => ticket.done(ok ? OK : undefined),
          },
        };
      }

      return {
        choose(request) {
          let choice: Choice | undefined;
          let settled = (settledChoice: Choice): void => {
            choice = settledChoice;
          };
          admission.pickThen(
            pickRequest(request),
            (result) => settled(choiceOf(result)),
            (error) => {
              throw error;
            },
          );
          return (
            choice ?? {
              whenSettled(listener) {
                settled = listener;
              },
            }
          );
        },
      };
    },
  };
}

const OBSERVE: PickerObserver = { picked() {}, refused() {}, servedElsewhere() {}, retried() {}, scraped() {} };

function pickRequest(request: FleetRequest): PickRequest {
  const { promptTokens, maxOutputTokens, prefixHashes, adapter, priority, tenant } = request;
  return {
    scheduler: 'fleet/model',
    model: adapter ?? 'model',
    promptBytes: promptTokens * TOKEN_BYTES,
    prefixHashes,
    explain: false,
    ...(adapter !== undefined && { adapter }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(priority !== undefined && { priority }),
    ...(tenant !== undefined && { tenant }),
  };
}

/** The gateway as it is shipped: profile `balanced`. */
export const gateway = gatewayPolicy('gateway', { weights: SCHEDULER_PROFILES.balanced });

/** A band's defaults. */
const BAND: BandLimits = { ttlMs: 10_000, maxRequests: 1000, maxBytes: 256 * 2 ** 20 };

/** The same with flow control on, and its defaults. */
export const gatewayFlow = gatewayPolicy('gateway-flow', {
  weights: SCHEDULER_PROFILES.balanced,
  flowControl: {
    bands: { critical: BAND, standard: BAND, sheddable: BAND },
    maxBytes: 512 * 2 ** 20,
    maxTenants: 100,
    trustClientHeaders: false,
  },
});

function stateOf(view: FleetView, { weights, flowControl }: GatewayOptions): GatewayState {
  return {
    gateway: 'fleet/gateway',
    bodyRouting: true,
    maxRequestBodyBytes: Number.MAX_SAFE_INTEGER,
    explain: false,
    rewrites: [],
    schedulers: [
      {
        namespace: 'fleet',
        name: 'model',
        modelName: 'model',
        adapters: [],
        engine: 'vllm',
        weights,
        ...(flowControl !== undefined && { flowControl }),
        overload: {
          maxQueueTimeMs: view.maxQueueTimeSeconds * 1000,
          retryAfterMinSeconds: 1,
          retryAfterMaxSeconds: 60,
        },
        endpoints: view.pods.map(({ address, name, ready }) => ({ address, pod: name, ready })),
      },
    ],
  };
}
