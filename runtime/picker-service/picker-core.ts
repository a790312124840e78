import type { Logger } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { type Admission, createAdmission } from '../endpoint-picker/admission/admission';
import type { AdmissionObserver } from '../endpoint-picker/admission/observe';
import type { WaitingStatus } from '../endpoint-picker/admission/waiting-room';
import type { EndpointPicker } from '../endpoint-picker/endpoint-picker';
import { createScraper } from '../endpoint-picker/endpoints/scraper';
import type { KvEventsObserver } from '../endpoint-picker/kv-events/observe';
import { precisePicker } from '../endpoint-picker/kv-events/precise-picker';
import { createPrecisePrefix } from '../endpoint-picker/kv-events/precise-prefix';
import type { PickerObserver } from '../endpoint-picker/observe';
import { createPicker, type Picker } from '../endpoint-picker/picker';
import type { PoolStatus } from '../endpoint-picker/status';

export interface PickerCoreOptions {
  readonly state: GatewayState;
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly observe: {
    readonly picker: PickerObserver;
    readonly kvEvents: KvEventsObserver;
    readonly admission: AdmissionObserver;
  };
  /**
   * Requests come with their bodies, so that the tokens of prompts can be learned: pods that publish KV events are
   * listened to. Else they are not, for nothing would be found by what they tell.
   */
  readonly bodies: boolean;
  readonly log: Logger;
}

/** Where a router's picks are made: in its own process, or by replicas that it is connected to. */
export interface Pickers {
  readonly picker: EndpointPicker;
  /** The next pick is made by `state`. */
  update(state: GatewayState): void;
  /** Every pod as it is seen here; empty where the pickers are processes of their own. */
  status(): readonly PoolStatus[];
  /** What is held here, by scheduler. */
  waiting(): readonly WaitingStatus[];
  /** The scheduler has an endpoint that is ready; absent where the state says it. */
  hasEndpoints?(scheduler: string): boolean;
  /** Picker processes that are connected; absent where there are none to connect. */
  peers?(): number;
  /** Tickets that are out may still be used. */
  close(): Promise<void>;
}

/** The Endpoint Pickers of a gateway in this process, with all that they read: the one assembly, whoever asks them. */
export interface PickerCore extends Pickers {
  /** Enters what another replica has picked. */
  readonly enter: Picker['enter'];
}

export function createPickerCore({ state, clock, random, observe, bodies, log }: PickerCoreOptions): PickerCore {
  const precise = bodies ? createPrecisePrefix({ clock, random, observe: observe.kvEvents, log }) : undefined;
  // The picker tells of room as soon as it has endpoints.
  let admission: Admission | undefined;
  const picker = createPicker({
    state,
    metrics: createScraper({ clock, random, observe: observe.picker, log }),
    clock,
    random,
    observe: observe.picker,
    log,
    ...(precise !== undefined && { precise }),
    later: (work) => setImmediate(work),
    roomChanged: (scheduler) => admission?.roomChanged(scheduler),
  });
  admission = createAdmission({ picker, state, clock, after, observe: observe.admission });
  const { update, waiting, close } = admission;
  return {
    picker: precise === undefined ? admission : precisePicker(admission, precise),
    enter: picker.enter,
    update(next) {
      picker.update(next);
      update(next);
    },
    status: () => picker.status(),
    waiting,
    async close() {
      close();
      await picker.close();
      await precise?.close();
    },
  };
}

function after(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}
