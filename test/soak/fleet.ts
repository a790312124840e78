import { adaptersObject, startTestGateway, type TestGateway, type TestGatewayOptions } from '../e2e/support/gateway';

export const MODEL = 'llama';
export const PODS = ['llama-0', 'llama-1', 'llama-2', 'llama-3'] as const;
/** The base model and more adapters than an engine holds at once. */
const ADAPTERS = Array.from({ length: 8 }, (_, i) => `tuned-${i}`);

/** Four simulated model servers behind the whole gateway, with flow control on. */
export function startSoakFleet(): Promise<TestGateway> {
  return startTestGateway({
    schedulers: [scheduler(0)],
    pods: PODS.map((name) => ({ name, scheduler: 'llama', adapters: ADAPTERS, speed: 20 })),
    objects: [adaptersObject(MODEL, ADAPTERS)],
  });
}

/** The scheduler after so many edits: other weights, and another time-to-live of a band. */
export function scheduler(edit: number): TestGatewayOptions['schedulers'][number] {
  return {
    name: 'llama',
    modelName: MODEL,
    weights: { queue: 2 + (edit % 3), prefix: 3, loraAffinity: edit % 2 },
    flowControl: { bands: { sheddable: { ttl: `${5 + (edit % 2)}s` } } },
  };
}

/** Adapters that the gateway knows after so many edits: two of them are out, others each time. */
export function adaptersAfter(edit: number): readonly string[] {
  return ADAPTERS.filter((_, i) => i !== edit % 8 && i !== (edit + 3) % 8);
}
