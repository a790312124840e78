import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Cluster } from '../kubernetes/support/cluster';
import { toolPath } from '../kubernetes/tools/tools-folder';
import { GATEWAY_CLASS } from './conformance-cluster';
import { type ConformanceOptions, modeOf } from './options';
import { GATEWAY_SUITE, INFERENCE_SUITE } from './tools';

export interface SuiteRun {
  readonly options: ConformanceOptions;
  /** Where the report goes. Absent: there is none. */
  readonly report?: string;
  /** Tests to leave out, by their short names. Default: none. */
  readonly skip?: readonly string[];
  /** The pools, pickers and backends of the suite stay. Default false. */
  readonly keep?: boolean;
  /** Of its output. */
  onLine(line: string): void;
}

/** What every implementation must have that routes HTTP. The other suite has one profile, and asks for all of it. */
const CORE_OF_HTTP = {
  'conformance-profiles': 'GATEWAY-HTTP',
  'supported-features': 'Gateway,HTTPRoute,ReferenceGrant',
};

/** Longer than any suite takes. */
const LIMIT = '60m';

/** Runs a suite, as published, against the cluster. Resolves with whether all of its tests have passed. */
export function runSuite(
  cluster: Cluster,
  { options, report, skip = [], keep = false, onLine }: SuiteRun,
): Promise<boolean> {
  const { suite, runTest, implementation } = options;
  const flags: Readonly<Record<string, string | undefined>> = {
    'gateway-class': GATEWAY_CLASS,
    ...(suite === 'gateway-api' && CORE_OF_HTTP),
    'run-test': runTest,
    'skip-tests': skip.length > 0 ? skip.join(',') : undefined,
    'cleanup-base-resources': String(!keep),
    'report-output': report,
    mode: modeOf(options),
    ...implementation,
  };
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`-${name}=${value}`]));
  const child = spawn(
    toolPath(suite === 'gateway-api' ? GATEWAY_SUITE : INFERENCE_SUITE),
    ['-test.v', `-test.timeout=${LIMIT}`, ...given],
    { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/run', env: { ...process.env, KUBECONFIG: cluster.kubeconfig } },
  );
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', onLine);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}
