import { firstTokenCame, requestEnded } from './endpoint-answers';
import type { BlockHash, PickRequest, Ticket } from './endpoint-picker';
import { answerBegan, requestLeft } from './health/evidence';
import type { PrecisePrefix } from './kv-events/precise-prefix';
import { enter, type LedgerEntry, move, type RequestSize, release } from './ledger/endpoint-load';
import { promptTokenSeconds } from './ledger/learned-speed';
import type { PickerObserver } from './observe';
import type { Member, Pool } from './pool';
import { endpointChanged, type PooledEndpoint } from './pooled-endpoint';
import { type RequestEvidence, requestOver, responseCame } from './request-evidence';

/** What all requests of a picker share. */
export interface Sending {
  readonly clock: () => number;
  readonly observe: PickerObserver;
  readonly precise: Pick<PrecisePrefix, 'enter'> | undefined;
  /** The endpoint of this number holds the prompt from now on. */
  remember(hashes: readonly BlockHash[], endpoint: number): void;
  roomChanged(scheduler: string): void;
}

/** Enters the request at the first of the endpoints, as its pick number `picks`, and remembers its prompt there. */
export function sendTo(
  { clock, observe, precise, remember, roomChanged }: Sending,
  pool: Pool,
  request: PickRequest,
  order: readonly Member[],
  size: RequestSize,
  picks: number,
  now: number,
): Ticket {
  const { endpoint, watch } = order[0]!;
  const evidence: RequestEvidence = { order: order.map((one) => one.endpoint), pickedAt: now, answered: 'not-yet' };
  const entry = enter(endpoint.load, size, promptTokenSeconds(endpoint.speed), now);
  endpoint.picks += 1;
  endpoint.lastPick = picks;
  if (pool.usesPrefixes) remember(request.prefixHashes, endpoint.id);
  watch.wake();
  const hold = (id: number) => (request.tokens === undefined ? undefined : precise?.enter(id, request, request.tokens));
  let letGo = hold(endpoint.id);
  let at = endpoint.address;
  let serving: PooledEndpoint | undefined = endpoint;

  function answered(address: string | undefined, attempts: number, status: number | undefined): void {
    if (evidence.answered !== 'not-yet') return;
    if (address === undefined) evidence.answered = 'by-unnamed';
    else {
      const server = address === endpoint.address ? endpoint : pool.at(address)?.endpoint;
      responseCame(evidence, server, attempts, status, clock());
    }
    if (attempts > 1) observe.retried(request.scheduler, attempts - 1);
  }

  function servedAt(address: string): void {
    at = address;
    const member = pool.at(address);
    const former = serving;
    serving = member?.endpoint;
    leaves(former, entry);
    move(entry, serving?.load, serving === undefined ? 0 : promptTokenSeconds(serving.speed), clock());
    if (former !== undefined) endpointChanged(former);
    letGo?.();
    letGo = serving === undefined ? undefined : hold(serving.id);
    observe.servedElsewhere(request.scheduler, member === undefined ? 'unknown' : 'moved');
    roomChanged(request.scheduler);
    if (member === undefined) return;
    endpointChanged(member.endpoint);
    if (pool.usesPrefixes) remember(request.prefixHashes, member.endpoint.id);
    member.watch.wake();
  }

  return {
    served(address, attempts = 1, status) {
      if (entry.over) return;
      answered(address, attempts, status);
      if (address !== undefined && address !== at) servedAt(address);
    },
    firstToken() {
      if (entry.over || serving === undefined) return;
      if (evidence.answered !== 'by-unnamed') answerBegan(serving, evidence.pickedAt, clock(), true);
      firstTokenCame(serving, entry, clock());
    },
    done(status) {
      if (entry.over) return;
      letGo?.();
      const end = clock();
      const succeeded = status !== undefined && status < 400;
      requestOver(evidence, serving, status, end);
      leaves(serving, entry);
      release(entry, succeeded, end);
      if (serving !== undefined) requestEnded(serving, entry, succeeded, end);
      roomChanged(request.scheduler);
    },
  };
}

function leaves(endpoint: PooledEndpoint | undefined, { sentAt }: LedgerEntry): void {
  if (endpoint !== undefined) requestLeft(endpoint, sentAt);
}
