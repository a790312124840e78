import fc from 'fast-check';
import { ROOM } from '../../runtime/endpoint-picker/admission/room';
import type { Ticket } from '../../runtime/endpoint-picker/endpoint-picker';
import {
  endpointStates,
  engineMetrics,
  gatewayState,
  pickerRig,
  pickRequest,
  schedulerState,
} from '../runtime/endpoint-picker/support/fixtures';
import { inFlight, pick, picksByPod, prompt } from '../runtime/endpoint-picker/support/picks';

/** How a request ends that gets no answer of its pod, or one that is none. */
const BAD_ENDS: ReadonlyArray<readonly [string, (ticket: Ticket, address: string, another: string) => void]> = [
  ['the client goes away before the answer', (ticket) => ticket.done()],
  [
    'the client goes away in the answer',
    (ticket, address) => {
      ticket.served(address);
      ticket.done();
    },
  ],
  ['no pod can be connected to', (ticket) => ticket.done(503)],
  ['the answer does not come in time', (ticket) => ticket.done(504)],
  [
    'the pod answers with an error',
    (ticket, address) => {
      ticket.served(address);
      ticket.done(500);
    },
  ],
  [
    'the end is told twice, and more comes after it',
    (ticket, address, another) => {
      ticket.served(address);
      ticket.done(500);
      ticket.done();
      ticket.served(another);
      ticket.firstToken();
    },
  ],
];

test.each(BAD_ENDS)('no count is left, or below zero and so attracting all, when %s', (_, end) => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll('no-metrics');
  for (let i = 0; i < 40; i++) {
    const { endpoints, ticket } = pick(rig);
    end(ticket, endpoints[0]!, endpoints[1]!);
    expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
    // Long enough that the faults of one request do not exclude the pod for the next.
    rig.now += 120_000;
  }
  expect(picksByPod(rig, 40)).toEqual([10, 10, 10, 10]);
});

test('pods that come and go, and events in any order, leave no count below zero and none at the end', () => {
  const index = fc.nat(3);
  const which = fc.nat(40);
  const kind = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);
  const event = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: kind('pick', 'pick within', 'enter'), index }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('served', 'first token'), which, index }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: kind('done'), which, status: kind('', '200', '429', '500', '503', '504') }),
    },
    fc.record({ kind: kind('flap'), present: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()) }),
    fc.record({ kind: kind('reborn'), index, generation: fc.nat(3) }),
    fc.record({ kind: kind('scraped', 'refused', 'timeout'), index }),
    fc.record({ kind: kind('time'), milliseconds: fc.nat(3_000) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      const rig = pickerRig(schedulerState());
      const all = endpointStates(4);
      const tickets: Ticket[] = [];
      const entered = (ticket: Ticket | undefined) => ticket === undefined || tickets.push(ticket);
      for (const each of events) {
        const ticket = 'which' in each ? tickets[each.which % Math.max(1, tickets.length)] : undefined;
        const request = pickRequest(prompt('index' in each ? each.index * 1000 : 0, 4));
        if (each.kind === 'pick') {
          const result = rig.picker.pick(request);
          if (result.outcome === 'picked') entered(result.ticket);
        } else if (each.kind === 'pick within') {
          const picked = rig.picker.pickWithin(request, ROOM.standard);
          if (picked?.outcome === 'picked') entered(picked.ticket);
        } else if (each.kind === 'enter') entered(rig.picker.enter(request, [all[each.index]!.address], 2));
        else if (each.kind === 'served') ticket?.served(all[each.index]!.address);
        else if (each.kind === 'first token') ticket?.firstToken();
        else if (each.kind === 'done') ticket?.done(Number(each.status) || undefined);
        else if (each.kind === 'time') rig.now += each.milliseconds;
        else if (each.kind === 'flap') {
          const endpoints = all.filter((_, i) => each.present[i]);
          rig.picker.update(gatewayState(schedulerState({ endpoints })));
        } else if (each.kind === 'reborn') {
          all[each.index] = { ...all[each.index]!, uid: `uid-${each.index}-${each.generation}` };
          rig.picker.update(gatewayState(schedulerState({ endpoints: [...all] })));
        } else {
          const target = rig.metrics.targets.get(all[each.index]!.pod);
          target?.sent();
          if (each.kind === 'scraped') target?.answered(engineMetrics({ running: 1 }));
          else target?.failed(each.kind);
        }
        for (const { inFlight: count } of rig.picker.status()[0]!.pods) expect(count).toBeGreaterThanOrEqual(0);
      }
      for (const ticket of tickets) ticket.done(200);
      rig.picker.update(gatewayState(schedulerState({ endpoints: all })));
      expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
    }),
    { numRuns: 40 },
  );
});
