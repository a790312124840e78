import type { TenantQueue, Waiter } from './tenant-queue';

/**
 * Tokens that a tenant may dispatch in one turn. Most requests of a chat are not larger, so that a turn dispatches one;
 * and what a tenant of small requests sends in one turn is not more than some ten milliseconds of one engine's prefill.
 */
export const QUANTUM_TOKENS = 2048;

/**
 * Deficit round robin over the queues of a band. A queue whose turn it is gets the quantum, and dispatches until its next
 * request is larger than what it has left, which it keeps for its next turn; when it is empty it loses that. Of any two
 * queues that both have something waiting, the tokens dispatched over any time differ by less than the quantum and twice
 * the largest request. Rounds in which no queue has enough for its next request are not gone through one by one, so that
 * a turn costs steps in the number of queues only, whatever the sizes of their requests.
 */
export interface TenantTurns<T> {
  /** At the end of the round. The queue has something waiting. */
  add(queue: TenantQueue<T>): void;
  /** Takes out a queue that is empty. */
  delete(queue: TenantQueue<T>): void;
  /** Whose turn it is: the same one until it leaves. Undefined: nothing waits. */
  head(): Waiter<T> | undefined;
  /** A request goes on: its tokens are taken off its queue's deficit, below zero where it was not that queue's turn. */
  charge(waiter: Waiter<T>): void;
  /** Those with something waiting, who has had least first. */
  byNeed(): TenantQueue<T>[];
  /** The queue for which `size` is greatest, the first in turn of equals. */
  longest(size: (queue: TenantQueue<T>) => number): TenantQueue<T> | undefined;
}

export function createTenantTurns<T>(): TenantTurns<T> {
  let current: TenantQueue<T> | undefined;

  function turnTo(queue: TenantQueue<T>): void {
    current = queue;
    queue.deficit += QUANTUM_TOKENS;
  }

  /** All rounds from `first` back to it in which no queue would have enough. */
  function skipRounds(first: TenantQueue<T>): void {
    let rounds = Number.POSITIVE_INFINITY;
    let queue = first;
    do {
      rounds = Math.min(rounds, Math.ceil((queue.oldest!.tokens - queue.deficit) / QUANTUM_TOKENS) - 1);
      queue = queue.next;
    } while (queue !== first);
    if (rounds <= 0) return;
    do {
      queue.deficit += rounds * QUANTUM_TOKENS;
      queue = queue.next;
    } while (queue !== first);
  }

  return {
    add(queue) {
      queue.deficit = 0;
      if (current === undefined) {
        queue.next = queue;
        queue.previous = queue;
        turnTo(queue);
        return;
      }
      queue.next = current;
      queue.previous = current.previous;
      current.previous.next = queue;
      current.previous = queue;
    },
    delete(queue) {
      const { next, previous } = queue;
      previous.next = next;
      next.previous = previous;
      if (current !== queue) return;
      if (next === queue) current = undefined;
      else turnTo(next);
    },
    head() {
      if (current === undefined) return undefined;
      const first = current;
      while (current.oldest!.tokens > current.deficit) {
        turnTo(current.next);
        if (current === first && first.oldest!.tokens > first.deficit) skipRounds(first);
      }
      return current.oldest;
    },
    charge({ queue, tokens }) {
      queue.deficit -= tokens;
    },
    byNeed() {
      if (current === undefined) return [];
      const queues = [current];
      for (let queue = current.next; queue !== current; queue = queue.next) queues.push(queue);
      return queues.sort((a, b) => b.deficit - a.deficit);
    },
    longest(size) {
      if (current === undefined) return undefined;
      let found = current;
      for (let queue = current.next; queue !== current; queue = queue.next)
        if (size(queue) > size(found)) found = queue;
      return found;
    },
  };
}
