import type {
  EndpointPicker,
  PickedEndpoints,
  PickRequest,
  PickResult,
  Ticket,
} from '../endpoint-picker/endpoint-picker';
import type { Recorder } from './recorder';

/** Of so many decisions one is recorded with its explanation, the first among them, and its first token watched for. */
const PICKS_PER_EXPLANATION = 16;

/** A picker whose decisions, and what becomes of them, are recorded. It decides as the one it wraps does. */
export function recordingPicker(picker: EndpointPicker, recorder: Recorder): EndpointPicker {
  let picks = 0;
  return {
    pick(request) {
      const at = recorder.now();
      const sampled = picks++ % PICKS_PER_EXPLANATION === 0;
      const asked = sampled ? { ...request, explain: true } : request;
      const result = picker.pick(asked);
      if ('outcome' in result) return recorded(at, asked, result, recorder);
      const settled = result.result.then((late) => recorded(at, asked, late, recorder, recorder.now()));
      return { result: settled, cancel: () => result.cancel() };
    },
  };
}

function recorded(
  at: number,
  request: PickRequest,
  result: PickResult,
  recorder: Recorder,
  decidedAt = at,
): PickResult {
  const pick = recorder.picked(at, request, result, decidedAt);
  if (pick === undefined || result.outcome !== 'picked') return result;
  const sampleFirstToken = request.explain || result.sampleFirstToken === true;
  return {
    ...result,
    ticket: recordedTicket(pick, at, result, recorder),
    ...(sampleFirstToken && { sampleFirstToken }),
  };
}

function recordedTicket(pick: number, at: number, result: PickedEndpoints, recorder: Recorder): Ticket {
  const { ticket, endpoints, predictedTtftMs, sampleFirstToken } = result;
  const predicted = predictedTtftMs === undefined ? undefined : predictedTtftMs / 1000;
  let firstToken: number | undefined;
  let servedElsewhere: string | undefined;
  let over = false;
  return {
    served(address, attempts, status) {
      servedElsewhere = address === endpoints[0] ? undefined : address;
      ticket.served(address, attempts, status);
    },
    firstToken() {
      firstToken ??= recorder.now() - at;
      // It was not asked for there where the recording alone wishes it.
      if (sampleFirstToken) ticket.firstToken();
    },
    done(status) {
      ticket.done(status);
      if (over) return;
      over = true;
      recorder.ended(pick, { firstToken, predicted, status, servedElsewhere });
    },
  };
}
