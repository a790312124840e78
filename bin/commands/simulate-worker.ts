import { Command } from 'commander';
import { serveRuns } from '../../runtime/simulator/run/run-worker';

/** A worker process of `simulate`; started by it, never by hand. */
export function simulateWorkerCommand(): Command {
  return new Command('simulate-worker').description('run simulations for a parent process').action(serveRuns);
}
