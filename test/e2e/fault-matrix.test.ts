import { POD_FAULTS, runPodFault } from './fault-matrix';

test.each(POD_FAULTS.map((fault) => [fault.name, fault] as const))(
  'a pod with the fault "%s" costs no request but its own, is avoided, and is back after it',
  async (_, fault) => {
    const { requests, failed, share } = await runPodFault(fault, false);
    expect(failed).toEqual([]);
    expect(requests).toBeGreaterThan(50);
    // Of three pods: one that is avoided is tried now and then, and one that lies is not flooded.
    expect(share).toBeLessThan(fault.avoided ? 0.1 : 0.6);
  },
  180_000,
);
