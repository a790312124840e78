import { parseMetrics } from '../../../runtime/endpoint-picker/endpoints/metrics-parser';
import type { EngineMetrics } from '../../../runtime/endpoint-picker/engine-metrics';
import { send } from '../../e2e/support/send';
import { parseWholePage } from '../../runtime/endpoint-picker/support/reference-parser';

/** A metrics page read at once in the picker's way and, for what the picker does not read, line by line. */
interface EnginePage {
  readonly picker: EngineMetrics;
  /** The value of the one sample with this name, and these labels among its own; 0 where there is none. */
  sample(name: string, labels?: Readonly<Record<string, string>>): number;
}

/** `address`: `ip:port` of a vLLM server. */
export async function enginePage(address: string): Promise<EnginePage> {
  const { body } = await send(`http://${address}`, '/metrics');
  const samples = parseWholePage(body.toString());
  return {
    picker: parseMetrics(body, 'vllm'),
    sample(name, labels = {}) {
      const wanted = Object.entries(labels);
      const found = samples.filter(
        (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels.get(label) === value),
      );
      if (found.length > 1) throw new Error(`${name} with ${JSON.stringify(labels)} is there ${found.length} times`);
      return found[0]?.value ?? 0;
    },
  };
}
