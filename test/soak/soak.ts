/**
 * The whole gateway for a long time: an even load, while adapters, pods and configuration change. Ends with exit code 1
 * where a request failed that no killed pod explains, or a counter is not zero at the end. Linux only.
 */
import { parseArgs } from 'node:util';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { describeRun } from '../bench/overhead/machine';
import { growthPerMinute } from './memory';
import { runSoak } from './run-soak';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '200' } },
  });
  const [minutes, perSecond] = [Number(values.minutes), Number(values.rate)];
  if (!(minutes > 0) || !(perSecond > 0)) throw new Error('--minutes and --rate: expected a number above 0');
  const startedAt = new Date();
  const report = await runSoak({
    seconds: minutes * 60,
    perSecond,
    churnEveryMs: 3000,
    progress: (line) => console.error(line),
  });
  console.log(`${describeRun(await findEnvoy(), startedAt)} · ${minutes} minutes at ${perSecond} requests/s\n`);
  const { edits, adapterEdits, readinessChanges, kills } = report.churn;
  console.log(
    `${report.sent} requests · ${edits} configuration edits, ${adapterEdits} adapter edits, ${readinessChanges} pods made unready, ${kills} pods killed`,
  );
  console.log(`${report.failedByKill} streams lost with a killed pod · ${report.failed.length} other failures\n`);
  for (const failed of report.failed.slice(0, 20)) console.log(JSON.stringify(failed));
  console.log('| counter at the end | value |\n|---|---|');
  for (const [name, value] of Object.entries(report.counters)) console.log(`| \`${name}\` | ${value} |`);
  console.log(
    '\n| process | MiB after a tenth | at half | at the end | growth in the second half, MiB a minute |\n|---|---|---|---|---|',
  );
  for (const [name, track] of report.memory) {
    const { samples } = track;
    const at = (share: number) =>
      samples[Math.min(samples.length - 1, Math.floor(samples.length * share))]?.mebibytes.toFixed(0) ?? '-';
    console.log(`| ${name} | ${at(0.1)} | ${at(0.5)} | ${at(1)} | ${growthPerMinute(track).toFixed(2)} |`);
  }
  const atZero = Object.values(report.counters).every((value) => value === 0);
  if (report.failed.length > 0 || !atZero) process.exitCode = 1;
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
