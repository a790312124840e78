import type { EndpointPicker, PickRequest, PickResult, Ticket } from '../endpoint-picker/endpoint-picker';
import type { Recorder } from './recorder';

/** A picker whose decisions, and what becomes of them, are recorded. It decides as the one it wraps does. */
export function recordingPicker(picker: EndpointPicker, recorder: Recorder): EndpointPicker {
  return {
    pick(request) {
      const at = recorder.now();
      const result = picker.pick(request);
      if ('outcome' in result) return recorded(at, request, result, recorder);
      return { ...result, result: result.result.then((settled) => recorded(at, request, settled, recorder)) };
    },
  };
}

function recorded(at: number, request: PickRequest, result: PickResult, recorder: Recorder): PickResult {
  const pick = recorder.picked(at, request, result);
  if (pick === undefined || result.outcome !== 'picked') return result;
  return { ...result, ticket: recordedTicket(pick, at, result.ticket, result.endpoints[0]!, recorder) };
}

function recordedTicket(pick: number, at: number, ticket: Ticket, picked: string, recorder: Recorder): Ticket {
  let firstToken: number | undefined;
  let servedElsewhere: string | undefined;
  let over = false;
  return {
    served(address) {
      servedElsewhere = address === picked ? undefined : address;
      ticket.served(address);
    },
    firstToken() {
      firstToken ??= recorder.now() - at;
      ticket.firstToken();
    },
    done(status) {
      ticket.done(status);
      if (over) return;
      over = true;
      recorder.ended(pick, { firstToken, status, servedElsewhere });
    },
  };
}
