/** What run.ts runs inside its namespaces. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startConformanceCluster } from './conformance-cluster';
import { conformanceOptions } from './options';
import { reportFile } from './report-file';
import { runSuite } from './run-suite';

const ROOT = join(__dirname, '..', '..');
const REPORTS = join(ROOT, 'docs', 'conformance');
const say = (line: string) => console.error(`conformance: ${line}`);

async function main(): Promise<void> {
  const options = conformanceOptions(process.argv.slice(2));
  const cluster = await startConformanceCluster(options.picker);
  say(`the product runs; logs: ${cluster.logs}`);
  const name = reportFile(options);
  const report = options.runTest === undefined ? join('/run', name) : undefined;
  const passed = await runSuite(cluster, { options, ...(report && { report }), onLine: (line) => console.log(line) });
  await cluster.close();
  if (!passed) {
    // What is kept is what somebody may rely on.
    if (report !== undefined) say(`not kept:\n${await readFile(report, 'utf8').catch(() => 'there is no report')}`);
    say('failed');
    process.exitCode = 1;
    return;
  }
  if (report !== undefined) {
    // Not copied: it is for root alone.
    await writeFile(
      join(REPORTS, name),
      `# Made by npm run conformance, from commit ${await commit()}.\n${await readFile(report, 'utf8')}`,
    );
    say(`docs/conformance/${name}`);
  }
  say('passed');
}

/** With `-dirty` where files differ from it; the reports themselves do not count. */
async function commit(): Promise<string> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
  const changed = await git('status', '--porcelain', '--', ':!docs/conformance/*.yaml');
  return `${await git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '-dirty'}`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
