import { schedulerWeights } from '../../../../lib/api/inference-gateway-config/scorer-weights';
import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import { blockTail } from '../../../../runtime/simulator/tune/block-tail';
import { parseFleet } from '../../../../runtime/simulator/tune/fleet-file';

/** Ten seconds of more than the pod can take. */
const requests = Array.from({ length: 200 }, (_, index): FleetRequest => {
  return { at: index * 0.05, promptTokens: 800, outputTokens: 8, blocks: [], prefixHashes: [], connection: 0 };
});
const pods = parseFleet('fleet: [{ profile: llama-8b-a10g, pods: 1 }]');
const block = { requests, seconds: requests.at(-1)!.at };

test('a gateway that lets requests wait for longer refuses fewer', () => {
  const tail = (maxQueueSeconds: number) => blockTail({ pods, maxQueueSeconds }, block, schedulerWeights({}), 1);
  // What is refused counts as 120 s.
  expect(tail(1).p95).toBe(120);
  expect(tail(600).p95).toBeLessThan(120);
});
