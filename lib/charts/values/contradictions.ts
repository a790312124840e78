import type { CompleteInstallValues } from './install-values';

/** Values that are each of their kind, and together make no installation. */
export interface Contradiction {
  /** Of the value that is to be changed. */
  readonly path: readonly string[];
  readonly message: string;
  holds(values: CompleteInstallValues): boolean;
  /** The same, as Helm sees it. */
  readonly template: string;
}

export const CONTRADICTIONS: readonly Contradiction[] = [
  {
    path: ['envoyGateway', 'namespace'],
    message:
      'only an Envoy Gateway that is there already has another namespace: set envoyGateway.enabled to false, or leave the namespace empty',
    holds: ({ envoyGateway }) => envoyGateway.enabled && envoyGateway.namespace !== '',
    template: 'and .Values.envoyGateway.enabled .Values.envoyGateway.namespace',
  },
];

/** A file of the Helm chart that renders nothing, and refuses each. */
export function refusalsTemplate(): string {
  return CONTRADICTIONS.map(
    ({ template, path, message }) =>
      `{{- if ${template} }}{{ fail ${JSON.stringify(`${path.join('.')}: ${message}`)} }}{{ end }}\n`,
  ).join('');
}
