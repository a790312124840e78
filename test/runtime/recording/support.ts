import type { PickedEndpoints, PickRequest, Ticket } from '../../../runtime/endpoint-picker/endpoint-picker';
import { createRecorder, type RecorderOptions } from '../../../runtime/recording/recorder';
import { decodeLine, type RecordingLine } from '../../../runtime/recording/recording-line';
import { gateway } from '../body-router/fixtures';

export const REQUEST: PickRequest = {
  scheduler: 'ns/a',
  model: 'a-model',
  promptBytes: 1000,
  maxOutputTokens: 20,
  prefixHashes: [11, 22, 33],
  explain: false,
};

export function picked(ticket: Partial<Ticket> = {}, address = '10.0.0.1:8000'): PickedEndpoints {
  const nothing = () => {};
  return {
    outcome: 'picked',
    endpoints: [address, '10.0.0.2:8000'],
    ticket: { served: nothing, firstToken: nothing, done: nothing, ...ticket },
    matchedBlocks: 2,
  };
}

/** A recorder whose file is a list of lines and whose clock stands until it is moved. */
export function memoryRecorder(options: Partial<RecorderOptions> = {}) {
  const texts: string[] = [];
  const clock = { ms: 5000, room: true, full: 0 };
  const recorder = createRecorder({
    file: {
      get size() {
        return texts.join('').length;
      },
      append(text) {
        if (clock.room) texts.push(text);
        return clock.room;
      },
    },
    limitBytes: 1_000_000,
    state: gateway(),
    created: '2026-01-01T00:00:00.000Z',
    secret: Buffer.alloc(16, 7),
    clock: () => clock.ms,
    onFull: () => {
      clock.full += 1;
    },
    ...options,
  });
  const lines = (): RecordingLine[] => texts.map((text) => decodeLine(text));
  return { recorder, clock, texts, lines };
}
