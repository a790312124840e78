import { createHash } from 'node:crypto';
import type { PickerHello } from '../wire/hello';

/** What of a replica decides whether it is asked. All of it is the replica's own word, so that routers agree. */
export type Ranked = Pick<PickerHello, 'replica' | 'startedAt'> & { readonly warm: boolean };

/**
 * Below 0: `a` is asked before `b`. Those that are warm come first, in an order that is each scheduler's own (rendezvous
 * hashing), so that schedulers spread over replicas and only those of a lost one move. Of those that are not, the one
 * that has run longest comes first: it knows most. The ranks are those of `rankOf`.
 */
export function compareReplicas(a: Ranked, b: Ranked, rankA: number, rankB: number): number {
  if (a.warm !== b.warm) return a.warm ? -1 : 1;
  if (!a.warm && a.startedAt !== b.startedAt) return a.startedAt - b.startedAt;
  return rankB - rankA || (a.replica < b.replica ? -1 : 1);
}

/** A replica's rank for a scheduler: the same number in every router. */
export function rankOf(scheduler: string, replica: string): number {
  return createHash('sha256').update(`${replica}\n${scheduler}`).digest().readUInt32BE(0);
}
