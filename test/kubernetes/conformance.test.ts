import { request } from 'undici';
import { BACKENDS, GATEWAY_CLASS, GATEWAYS, startConformanceCluster } from '../conformance/conformance-cluster';
import { conformanceOptions } from '../conformance/options';
import { runSuite } from '../conformance/run-suite';
import type { Cluster } from './support/cluster';
import { addressOf, poolRoute } from './support/pools/plain-gateway';

/*
 * Upstream's own conformance suite, as published, without a report: `npm run conformance` makes those in docs/conformance.
 */

/** It asks each pod of two pools through a route of weights, until luck alone has led there three times in a row. */
const LONG = 'GatewayWeightedAcrossTwoInferencePools';
const GATEWAY = { name: 'conformance-primary', namespace: GATEWAYS };

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startConformanceCluster('stand-in');
}, 300_000);
afterAll(() => cluster?.close(), 60_000);

test(`every test of the Gateway profile passes for the class ${GATEWAY_CLASS}, but one that is left out`, async () => {
  const lines: string[] = [];
  const passed = await runSuite(cluster, {
    options: conformanceOptions([]),
    skip: [LONG],
    keep: true,
    onLine: (line) => lines.push(line),
  });

  const verdicts = lines.filter((line) => /^ {4}--- /.test(line)).map((line) => line.trim().split(' ').slice(1, 3));
  const told = (verdict: string) =>
    verdicts.filter(([which]) => which === verdict).map(([, name]) => name?.replace('TestConformance/', ''));
  if (!passed) console.error(lines.slice(-200).join('\n'));
  expect({ failed: told('FAIL:'), skipped: told('SKIP:') }).toEqual({ failed: [], skipped: [LONG] });
  expect(told('PASS:')).toHaveLength(13);
  expect(passed).toBe(true);
}, 900_000);

/** EppUnAvailableFailOpen takes the picker of the primary pool away, and asks the secondary. */
test.each([
  ['secondary', 'fail-open', 200],
  ['primary', 'fail-close', 500],
])(
  "the suite's %s pool, with its own picker away, is %s",
  async (which, _, expected) => {
    await cluster.apply(poolRoute(which, BACKENDS, GATEWAY, [{ pool: `${which}-inference-pool` }], `/own-${which}`));
    const url = `${await addressOf(cluster, GATEWAY.name, GATEWAY.namespace)}/own-${which}`;
    const ask = async () => {
      const { statusCode, headers, body } = await request(url, {
        method: 'POST',
        body: '{"model":"m","prompt":"hello"}',
      });
      await body.dump();
      return `${statusCode}${headers['x-conformance-test-served-endpoint'] === undefined ? '' : ' picked'}`;
    };
    const untilAsked = (answer: string) =>
      cluster.until(
        answer,
        async () => {
          const told = await ask();
          if (told !== answer) throw new Error(told);
          return true;
        },
        { timeout: 60_000 },
      );
    await untilAsked('200 picked');

    const service = `/api/v1/namespaces/${BACKENDS}/services/${which}-endpoint-picker-svc`;
    await cluster.client.merge(service, { spec: { selector: { app: 'none' } } });
    await untilAsked(`${expected}`);

    // What one request finds, all find.
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    expect(new Set(answers)).toEqual(new Set([`${expected}`]));
  },
  150_000,
);
