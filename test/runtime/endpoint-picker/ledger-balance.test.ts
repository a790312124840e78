import fc from 'fast-check';
import type { EndpointState } from '../../../lib/translate/gateway-state';
import type { Ticket } from '../../../runtime/endpoint-picker/endpoint-picker';
import type { HealthSubject, PoolHealth } from '../../../runtime/endpoint-picker/health/endpoint-health';
import type { EndpointLoad } from '../../../runtime/endpoint-picker/ledger/endpoint-load';
import type { PooledEndpoint } from '../../../runtime/endpoint-picker/pooled-endpoint';
import {
  endpointStates,
  engineMetrics,
  gatewayState,
  pickerRig,
  pickRequest,
  schedulerState,
} from './support/fixtures';

/** Every ledger that was made, those of endpoints that are gone too. */
const mockLoads: EndpointLoad[] = [];

// Not a mock of behaviour: the real module, whose ledgers are kept here to be looked at.
jest.mock('../../../runtime/endpoint-picker/ledger/endpoint-load', () => {
  const actual = jest.requireActual('../../../runtime/endpoint-picker/ledger/endpoint-load');
  return {
    ...actual,
    createLoad() {
      const load = actual.createLoad();
      mockLoads.push(load);
      return load;
    },
  };
});

const COUNT = 4;
const ADDRESSES = endpointStates(COUNT).map(({ address }) => address);

/** The health of each pool that was made. */
const mockPools: PoolHealth[] = [];

// As above.
jest.mock('../../../runtime/endpoint-picker/health/pool-health', () => {
  const actual = jest.requireActual('../../../runtime/endpoint-picker/health/pool-health');
  return {
    ...actual,
    createPoolHealth() {
      const health = actual.createPoolHealth();
      mockPools.push(health);
      return health;
    },
  };
});

/** Of the pool, or of none. */
const address = fc.constantFrom(...ADDRESSES, '192.0.2.1:9', '');
/** Undefined: nobody knows. */
const server = fc.option(address, { nil: undefined });
const which = fc.nat(1000);
const status = fc.constantFrom(undefined, 200, 400, 429, 499, 500, 502, 503, 504);
const adapter = fc.constantFrom(undefined, 'sql', 'tone');
const member = fc.record({
  there: fc.boolean(),
  ready: fc.boolean(),
  uid: fc.constantFrom('first', 'second'),
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pick' as const), adapter, bytes: fc.nat(100_000) }) },
  fc.record({ kind: fc.constant('told' as const), address, adapter, matched: fc.nat(30) }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('served' as const), which, address: server, attempts: fc.nat(5), status }),
  },
  fc.record({ kind: fc.constant('firstToken' as const), which }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('done' as const), which, status }) },
  fc.record({ kind: fc.constant('state' as const), members: fc.array(member, { minLength: COUNT, maxLength: COUNT }) }),
  fc.record({
    kind: fc.constant('scrape' as const),
    which,
    outcome: fc.constantFrom('ok', 'no-metrics', 'refused', 'timeout', 'connection', 'status', 'sent' as const),
  }),
  fc.record({ kind: fc.constant('passed' as const), ms: fc.nat(15_000) }),
);

function assertNeverNegative(): void {
  for (const { requests, uncachedTokens, outputTokens, sent, ended } of mockLoads) {
    const least = Math.min(requests, uncachedTokens, outputTokens, sent, ended);
    if (least < 0) throw new Error(`a ledger is at ${least}`);
  }
}

function assertOnlyMembersAreTended(): void {
  for (const { tended, excluded } of mockPools) {
    for (const endpoint of [...tended, ...excluded] as Array<HealthSubject & Pick<PooledEndpoint, 'row'>>) {
      if (endpoint.row === undefined) throw new Error('an endpoint that has left its pool is tended');
    }
  }
}

test('in whatever order things happen, no ledger is ever below zero, and all are at zero when every request is over', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      mockLoads.length = 0;
      mockPools.length = 0;
      const rig = pickerRig(schedulerState({ endpoints: endpointStates(COUNT) }));
      const tickets: Ticket[] = [];
      for (const each of steps) {
        const ticket = 'which' in each ? tickets[each.which % tickets.length] : undefined;
        if (each.kind === 'pick') {
          const change = { promptBytes: each.bytes, ...(each.adapter !== undefined && { adapter: each.adapter }) };
          const result = rig.picker.pick(pickRequest(change));
          if (result.outcome === 'picked') tickets.push(result.ticket);
        } else if (each.kind === 'told') {
          const request = pickRequest(each.adapter === undefined ? {} : { adapter: each.adapter });
          const entered = rig.picker.enter(request, [each.address], each.matched);
          if (entered !== undefined) tickets.push(entered);
        } else if (each.kind === 'served') ticket?.served(each.address, each.attempts, each.status);
        else if (each.kind === 'firstToken') ticket?.firstToken();
        else if (each.kind === 'done') ticket?.done(each.status);
        else if (each.kind === 'state')
          rig.picker.update(gatewayState(schedulerState({ endpoints: of(each.members) })));
        else if (each.kind === 'passed') rig.now += each.ms;
        else {
          const targets = [...rig.metrics.targets.values()];
          const target = targets[each.which % targets.length];
          target?.sent();
          if (each.outcome === 'ok') target?.answered(engineMetrics({ running: each.which % 7 }));
          else if (each.outcome === 'no-metrics') target?.answered('no-metrics');
          else if (each.outcome !== 'sent') target?.failed(each.outcome);
        }
        assertNeverNegative();
        assertOnlyMembersAreTended();
      }
      for (const ticket of tickets) ticket.done();
      for (const { requests, uncachedTokens, outputTokens, newest, adapters } of mockLoads) {
        expect({ requests, uncachedTokens, outputTokens, newest, adapters: adapters.size }).toEqual({
          requests: 0,
          uncachedTokens: 0,
          outputTokens: 0,
          newest: undefined,
          adapters: 0,
        });
      }
      for (const { pods } of rig.picker.status()) expect(pods.every(({ inFlight }) => inFlight === 0)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

interface MemberDraw {
  readonly there: boolean;
  readonly ready: boolean;
  readonly uid: string;
}

function of(members: readonly MemberDraw[]): EndpointState[] {
  return endpointStates(COUNT).flatMap((state, i) => {
    const { there, ready, uid } = members[i]!;
    return there ? [{ ...state, ready, uid: `${uid}-${i}` }] : [];
  });
}
