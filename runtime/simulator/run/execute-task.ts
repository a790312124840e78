import { runFleet } from '../fleet/run-fleet';
import { POLICIES } from '../policies';
import { figuresOf, type RunFigures } from '../report/run-figures';
import { traceWorkload } from '../workload/trace-workload';
import type { RunTask } from './run-task';
import { scenarioRun } from './scenario-run';
import { openTrace } from './trace-file';

/** Makes one run; all that is kept of it are its figures. Throws when policy or trace are not as expected. */
export async function executeTask({
  scenario,
  policy,
  seed,
  scrapeInterval,
  scale,
  trace,
}: RunTask): Promise<RunFigures> {
  const kind = POLICIES[policy];
  if (kind === undefined) throw new Error(`there is no policy ${policy}`);
  const { ratePerSecond } = scenario;
  const run = scenarioRun(scenario, {
    policy: kind,
    seed,
    ...(scrapeInterval !== undefined && { scrapeInterval }),
    ...(scale !== undefined && { scale }),
    ...(trace !== undefined && {
      workload: traceWorkload((await openTrace(trace.path)).requests, { from: trace.ratePerSecond, to: ratePerSecond }),
    }),
  });
  return figuresOf(runFleet(run));
}
