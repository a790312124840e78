/** Work in one turn of the event loop, milliseconds. */
const TURN_MS = 2;

/** Shares the event loop: all who ask get `TURN_MS` of a turn together, the rest waits for a later one. */
export interface TurnBudget {
  /** Does a piece of work once there is time for it; rejects with what it throws. */
  run<T>(work: () => T): Promise<T>;
}

/** `yieldTurn` resolves when the event loop has served what was waiting. */
export function createTurnBudget(clock: () => number, yieldTurn: () => Promise<void>): TurnBudget {
  let turn: Promise<void> | undefined;
  let begun = 0;

  function begin(): Promise<void> {
    begun = clock();
    return yieldTurn().then(() => {
      turn = undefined;
    });
  }

  return {
    async run(work) {
      for (;;) {
        turn ??= begin();
        if (clock() - begun <= TURN_MS) return work();
        await turn;
      }
    },
  };
}
