import { SCHEDULER_PROFILES } from '../../../lib/api/inference-gateway-config/scorer-weights';
import type { GatewayState, ScorerWeights } from '../../../lib/translate/gateway-state';
import { createPicker } from '../../endpoint-picker/picker';
import { TOKEN_BYTES } from '../engine/types';
import type { FleetView, PolicyKind } from '../fleet/policy';

/** The status that the router tells the picker when an answer came to its end. */
const OK = 200;

/** The shipped picker, with its admission, scheduling, ledger and prefix index, over simulated scrapes. */
export function gatewayPolicy(name: string, weights: ScorerWeights): PolicyKind {
  return {
    name,
    // Those of the shipped scraper.
    scrapeInterval: { busySeconds: 0.2, idleSeconds: 1 },
    create(view) {
      const picker = createPicker({
        state: stateOf(view, weights),
        metrics: view.metrics,
        clock: () => view.now() * 1000,
        random: view.random,
        observe: { picked() {}, refused() {}, servedElsewhere() {}, scraped() {} },
      });
      const numbers = new Map(view.pods.map(({ address, number }) => [address, number]));
      view.onReadiness(() => picker.update(stateOf(view, weights)));
      return {
        choose({ promptTokens, maxOutputTokens, prefixHashes, adapter }) {
          const result = picker.pick({
            scheduler: 'fleet/model',
            model: adapter ?? 'model',
            promptBytes: promptTokens * TOKEN_BYTES,
            prefixHashes,
            explain: false,
            ...(adapter !== undefined && { adapter }),
            ...(maxOutputTokens !== undefined && { maxOutputTokens }),
          });
          if (result.outcome !== 'picked') return result.outcome === 'saturated' ? 'refused' : 'no-endpoints';
          const { ticket } = result;
          return {
            pods: result.endpoints.map((address) => numbers.get(address)!),
            ticket: {
              served: (pod) => ticket.served(view.pods[pod]!.address),
              ...(result.sampleFirstToken === true && { firstToken: () => ticket.firstToken() }),
              ended: (ok) => ticket.done(ok ? OK : undefined),
            },
          };
        },
      };
    },
  };
}

/** The gateway as it is shipped: profile `balanced`. */
export const gateway = gatewayPolicy('gateway', SCHEDULER_PROFILES.balanced);

function stateOf(view: FleetView, weights: ScorerWeights): GatewayState {
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
