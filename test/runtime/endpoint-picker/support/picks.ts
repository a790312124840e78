import type { PickedEndpoints, PickRequest } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { endpointStates, type PickerRig, pickRequest } from './fixtures';

/** The pods of a scheduler that names none. */
export const PODS = ['models/llama-0', 'models/llama-1', 'models/llama-2', 'models/llama-3'] as const;

export const ADDRESS: ReadonlyMap<string, string> = new Map(
  endpointStates(4).map(({ pod, address }) => [pod, address]),
);

/** Throws where the request is refused. */
export function pick(rig: PickerRig, change: Partial<PickRequest> = {}): PickedEndpoints {
  const result = rig.picker.pick(pickRequest(change));
  if (result.outcome !== 'picked') throw new Error(`refused: ${result.outcome}`);
  return result;
}

/** How often each pod of the first scheduler is the choice in `count` picks, none of which ends. */
export function picksByPod(rig: PickerRig, count: number, change: Partial<PickRequest> = {}): number[] {
  const { pods } = rig.picker.status()[0]!;
  const counts = new Map(pods.map(({ address }) => [address, 0]));
  for (let i = 0; i < count; i++) {
    const [address] = pick(rig, change).endpoints;
    counts.set(address!, counts.get(address!)! + 1);
  }
  return [...counts.values()];
}

export function inFlight(rig: PickerRig): number[] {
  return rig.picker.status()[0]!.pods.map((pod) => pod.inFlight);
}

/** A prompt of whole blocks of 64 tokens; prompts of another `first` share none with it, from 1,000 on. */
export function prompt(first: number, blocks = 64): Partial<PickRequest> {
  return { promptBytes: blocks * 256, prefixHashes: Array.from({ length: blocks }, (_, i) => first + i) };
}
