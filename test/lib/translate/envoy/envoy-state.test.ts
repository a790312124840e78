import fc from 'fast-check';
import {
  catchAllScheduler,
  type EnvoyState,
  holdMs,
  poolName,
  pools,
  union,
} from '../../../../lib/translate/envoy/envoy-state';
import { endpoint, schedulerState } from '../builders';

const state = (schedulers: EnvoyState['schedulers'], fields: Partial<EnvoyState> = {}): EnvoyState => ({
  maxRequestBodyBytes: 100,
  schedulers,
  ...fields,
});

/** States over a few names, models and addresses, so that they overlap. */
const anyState = fc
  .record({
    maxRequestBodyBytes: fc.integer({ min: 1, max: 100 }),
    schedulers: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('s1', 's2', 's3'),
        modelName: fc.constantFrom('m1', 'm2', 'm3'),
        endpoints: fc.uniqueArray(fc.constantFrom('10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80')),
      }),
      { selector: (one) => one.name, minLength: 1 },
    ),
  })
  .map(({ maxRequestBodyBytes, schedulers }) =>
    state(
      schedulers.map((one) =>
        schedulerState(
          one.name,
          one.endpoints.map((address) => endpoint(address)),
          { modelName: one.modelName },
        ),
      ),
      { maxRequestBodyBytes },
    ),
  );

const addresses = (of: EnvoyState) =>
  pools(of).flatMap((pool) => pool.endpoints.map(({ address }) => `${pool.name} ${address}`));
const models = (of: EnvoyState) => new Set(of.schedulers.map(({ modelName }) => modelName));

describe('union', () => {
  it('serves every pool, pod and model of both, and no other', () => {
    fc.assert(
      fc.property(anyState, anyState, (previous, next) => {
        const both = union(previous, next);
        expect(new Set(addresses(both))).toEqual(new Set([...addresses(previous), ...addresses(next)]));
        expect(models(both)).toEqual(new Set([...models(previous), ...models(next)]));
        expect(both.maxRequestBodyBytes).toBe(Math.max(previous.maxRequestBodyBytes, next.maxRequestBodyBytes));
      }),
    );
  });

  it('routes each model of the new state as the new state does', () => {
    fc.assert(
      fc.property(anyState, anyState, (previous, next) => {
        const route = (of: EnvoyState, model: string | undefined) => {
          const found = of.schedulers.find(({ modelName }) => modelName === model);
          return found && poolName(found);
        };
        const both = union(previous, next);
        for (const model of models(next)) expect(route(both, model)).toBe(route(next, model));
      }),
    );
  });

  it('is the state itself where nothing changed', () => {
    const one = state([schedulerState('s', [endpoint('10.0.0.1:80')])]);
    expect(addresses(union(one, one))).toEqual(addresses(one));
  });

  it('takes readiness from the new state', () => {
    const previous = state([schedulerState('s', [endpoint('10.0.0.1:80')])]);
    const next = state([schedulerState('s', [endpoint('10.0.0.1:80', { ready: false })])]);
    expect(pools(union(previous, next))[0]?.endpoints[0]?.ready).toBe(false);
  });

  it('keeps balancing to the only scheduler of the old state while the new one has several', () => {
    const previous = state([schedulerState('s1', [])]);
    const next = state([schedulerState('s1', []), schedulerState('s2', [])]);
    expect(catchAllScheduler(union(previous, next))?.name).toBe('s1');
    expect(catchAllScheduler(next)).toBeUndefined();
  });

  it('holds as long as the longer of both, and believes no header that one of them removes', () => {
    const holds = (emptyPoolHoldMs: number) =>
      state([
        schedulerState('s1', [], {
          overload: { maxQueueTimeMs: 1, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 1, emptyPoolHoldMs },
        }),
      ]);
    for (const [previous, next] of [
      [5, 9],
      [9, 5],
    ] as const) {
      expect(holdMs(union(holds(previous), holds(next)))).toBe(9);
      expect(holdMs(union(union(holds(previous), holds(next)), holds(1)))).toBe(9);
    }
    const claims = { ...holds(1), claims: true };
    expect(union(claims, holds(1)).claims).toBe(true);
    expect(union(holds(1), claims).claims).toBe(true);
    expect(union(holds(1), holds(1)).claims).toBe(false);
  });

  it('keeps the default backend of the old state until the switch', () => {
    const backend = { name: 'fallback', port: 1 };
    const previous = state([schedulerState('s1', [])], { defaultBackend: backend });
    expect(union(previous, state([schedulerState('s1', [])])).defaultBackend).toEqual(backend);
  });
});
