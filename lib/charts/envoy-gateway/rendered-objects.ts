import rendered from './rendered.json';

/** An object of Envoy Gateway's own chart. */
export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels: Record<string, string> };
  readonly subjects?: readonly { readonly namespace: string }[];
  readonly [field: string]: unknown;
}

/** Of whoever rendered: who manages the objects is not the chart's business. */
const FOREIGN_LABELS = new Set(['helm.sh/chart', 'app.kubernetes.io/managed-by']);

/** The objects of Envoy Gateway's own chart, in a namespace. */
export function renderedObjects(namespace: string): RenderedObject[] {
  return (rendered.objects as unknown as RenderedObject[]).map((object) => ({
    ...object,
    metadata: {
      name: object.metadata.name,
      ...(object.metadata.namespace !== undefined && { namespace }),
      labels: Object.fromEntries(
        Object.entries(object.metadata.labels).filter(([label]) => !FOREIGN_LABELS.has(label)),
      ),
    },
    ...(object.subjects && { subjects: object.subjects.map((subject) => ({ ...subject, namespace })) }),
  }));
}
