import { adaptersObject, type TestGatewayOptions } from './gateway';
import { SHORT_QUEUE, SMALL_POD_FLAGS } from './saturate';

/** A slash and capitals, as names of published models have. */
export const BASE_MODEL = 'meta-llama/Llama-3.1-8B-Instruct';
/** An adapter of it that a ConfigMap names, and one of the scheduler's own list. */
export const ADAPTERS = ['support-tone', 'sql-helper'] as const;
/** A model with one small pod, which `whileSaturated` fills. */
export const SMALL_MODEL = 'small';
/** A model whose only pod is not ready. */
export const EMPTY_MODEL = 'empty';

/** What the official clients are tried on: a model with adapters, one that saturates, one without a ready pod. */
export const MODEL_FLEET: TestGatewayOptions = {
  schedulers: [
    { name: 'llama', modelName: BASE_MODEL, loraAdapters: [ADAPTERS[1]] },
    { name: 'small', modelName: SMALL_MODEL },
    { name: 'empty', modelName: EMPTY_MODEL },
  ],
  spec: { overload: SHORT_QUEUE },
  objects: [adaptersObject(BASE_MODEL, [ADAPTERS[0]])],
  pods: [
    { name: 'llama-0', scheduler: 'llama', adapters: ADAPTERS },
    { name: 'llama-1', scheduler: 'llama', adapters: ADAPTERS },
    { name: 'small-0', scheduler: 'small', flags: SMALL_POD_FLAGS },
    { name: 'empty-0', scheduler: 'empty', ready: false, absent: true },
  ],
};
