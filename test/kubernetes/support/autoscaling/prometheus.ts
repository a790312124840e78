import { createServer } from 'node:http';
import type { V1Pod } from '@kubernetes/client-node';
import { NODE_IP } from '../addresses';
import type { Cluster } from '../cluster';
import { evaluate, type Sample, type Series } from './query';
import { serviceHere } from './service-here';

const NAMESPACE = 'monitoring';
const PORT = 9090;
const EVERY_MS = 1_000;
const KEEP_MS = 150_000;

export interface Prometheus {
  query(query: string): number | undefined;
  close(): Promise<void>;
}

/**
 * Stands in for Prometheus: reads, every second, the page of each pod that is annotated for it, and answers the examples'
 * queries, at `http://prometheus.monitoring.svc:9090` too.
 */
export async function startPrometheus(cluster: Cluster): Promise<Prometheus> {
  const series = new Map<string, Series & { readonly samples: Sample[] }>();
  const query = (text: string) => evaluate(text, [...series.values()], Date.now());

  const read = async (pod: V1Pod): Promise<void> => {
    const { annotations = {}, namespace, name: podName } = pod.metadata ?? {};
    const ip = pod.status?.podIP;
    if (annotations['prometheus.io/scrape'] !== 'true' || ip === undefined) return;
    const { 'prometheus.io/port': port, 'prometheus.io/path': path = '/metrics' } = annotations;
    const page = await fetch(`http://${ip}:${port}${path}`, { signal: AbortSignal.timeout(EVERY_MS) });
    const at = Date.now();
    for (const line of (await page.text()).split('\n')) {
      const [, name, of = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
      if (name === undefined) continue;
      const key = `${namespace}/${podName} ${name}{${of}}`;
      const labels = Object.fromEntries([...of.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]));
      const known = series.get(key) ?? { name, labels, samples: [] as Sample[] };
      series.set(key, known);
      known.samples.push({ at, value: Number(value) });
      while (at - known.samples[0]!.at > KEEP_MS) known.samples.shift();
    }
  };
  // One that has just begun or ended is not there to be read.
  const timer = setInterval(() => {
    for (const pod of cluster.pods.list()) read(pod).catch(() => {});
  }, EVERY_MS);

  const server = createServer((request, response) => {
    const text = new URL(request.url ?? '/', 'http://here').searchParams.get('query') ?? '';
    const value = query(text);
    const result = value === undefined ? [] : [{ metric: {}, value: [Date.now() / 1000, String(value)] }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  await new Promise<void>((resolve) => server.listen(PORT, NODE_IP, resolve));
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    ...serviceHere({ name: 'prometheus', namespace: NAMESPACE, port: PORT, target: PORT }),
  ]);
  return {
    query,
    async close() {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
