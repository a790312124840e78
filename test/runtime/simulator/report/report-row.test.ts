import { type ComparedRuns, reportRow } from '../../../../runtime/simulator/report/report-row';
import { bandFigures, figures, UNANSWERED } from './figures';

const KEY = { scenario: 'mixed-8b', policy: 'gateway', rate: 12 };

function row(runs: Partial<ComparedRuns>) {
  const two = [figures(1), figures(1)];
  return reportRow(KEY, { runs: two, roundRobin: two, oracle: two, ...runs });
}

test('has the names of the JSON contract', () => {
  const contract = row({ runs: [figures(1), figures(3)] });
  expect(contract).toMatchObject({
    scenario: 'mixed-8b',
    policy: 'gateway',
    seeds: 2,
    rate: 12,
    ttft_p50_s: 1,
    ttft_p95_s: 2,
    ttft_p99_s: 4,
    itl_mean_s: 0.02,
    throughput_tok_s: 1000,
    goodput_rps: 9,
    failed: 0,
    prefix_hit_rate: 0.25,
    simulated: true,
  });
  expect(Object.keys(contract.vs_round_robin)).toEqual(['ttft_p95_pct', 'ttft_p99_pct', 'throughput_pct', 'ci95']);
  expect(Object.keys(contract.vs_round_robin.ci95)).toEqual(['ttft_p95_pct', 'ttft_p99_pct', 'throughput_pct']);
});

test('a change is the mean of the changes of each seed, not the change of the means', () => {
  const { vs_round_robin: vs } = row({ runs: [figures(0.5), figures(10)], roundRobin: [figures(1), figures(100)] });
  expect(vs.ttft_p95_pct).toBe(-70);
  // Differences of -50 and -90: half-width 12.706 * 20.
  expect(vs.ci95.ttft_p95_pct).toBeCloseTo(254.12, 1);
});

test('a change that is the same for each seed has no width, however much the seeds differ', () => {
  const { vs_round_robin: vs } = row({ runs: [figures(1), figures(10)], roundRobin: [figures(2), figures(20)] });
  expect([vs.ttft_p95_pct, vs.ttft_p99_pct, vs.ci95.ttft_p95_pct]).toEqual([-50, -50, 0]);
});

test('throughput is compared by seed too', () => {
  const more = figures(1, { outputTokensPerSecond: 1080 });
  expect(row({ runs: [more, more] }).vs_round_robin.throughput_pct).toBe(8);
});

test('regret is how much longer P95 is than the oracle’s', () => {
  const { regret_p95_pct, ci95 } = row({ runs: [figures(3), figures(5)], oracle: [figures(2), figures(4)] });
  expect(regret_p95_pct).toBe(37.5);
  expect(ci95.regret_p95_pct).toBeCloseTo(158.825, 2);
});

test('regret is told at P50 and P99 too', () => {
  const far = figures(4, { firstToken: { p50: 1.5, p90: 3, p95: 4, p99: 12 } });
  expect(row({ runs: [far, far], oracle: [figures(2), figures(2)] })).toMatchObject({
    regret_p50_pct: 50,
    regret_p95_pct: 100,
    regret_p99_pct: 200,
  });
});

test('with one seed there are changes but no intervals', () => {
  const { vs_round_robin: vs, ci95 } = row({ runs: [figures(1)], roundRobin: [figures(2)], oracle: [figures(1)] });
  expect(vs.ttft_p95_pct).toBe(-50);
  expect([...Object.values(vs.ci95), ...Object.values(ci95)]).toEqual(Array(10).fill(null));
});

test('where nothing was answered the figures are null and the failures remain', () => {
  const none = row({ runs: [UNANSWERED, UNANSWERED] });
  expect(none).toMatchObject({ ttft_p95_s: null, itl_mean_s: null, goodput_rps: 0, failed: 100, regret_p95_pct: null });
  expect(none.vs_round_robin).toMatchObject({ ttft_p95_pct: null, throughput_pct: null });
});

test('no figure is NaN or infinite when round robin answered nothing', () => {
  const compared = row({ roundRobin: [UNANSWERED, figures(0)], oracle: [figures(0), figures(0)] });
  expect([compared.vs_round_robin.ttft_p95_pct, compared.regret_p95_pct]).toEqual([null, null]);
});

test('failures are the mean per run', () => {
  expect(row({ runs: [figures(1, { failed: 3 }), figures(1, { failed: 4 })] }).failed).toBe(3.5);
});

test('bands are means over seeds, too', () => {
  const { bands } = row({
    runs: [1, 3].map((p95) => figures(1, { bands: [bandFigures('critical', p95), bandFigures('sheddable', p95)] })),
  });
  expect(bands?.map(({ band, ttft_p95_s }) => [band, ttft_p95_s])).toEqual([
    ['critical', 2],
    ['sheddable', 2],
  ]);
  expect('bands' in row({})).toBe(false);
});
