import { App } from 'cdk8s';
import type { InstallValues } from '../../../lib/charts/generated/install-values';
import { InferenceGatewayChart } from '../../../lib/charts/inference-gateway-chart';

export interface ChartObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields of many kinds.
  readonly [field: string]: any;
}

/** The objects of an installation. */
export function chartObjects(values: InstallValues = {}, namespace?: string): ChartObject[] {
  return new InferenceGatewayChart(new App(), 'test', { values, ...(namespace && { namespace }) }).toJson();
}

/** `Kind namespace/name`. */
function keyOf({ kind, metadata }: ChartObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** By key. */
export function byKey(objects: readonly ChartObject[]): Record<string, ChartObject> {
  return Object.fromEntries(objects.map((object) => [keyOf(object), object]));
}
