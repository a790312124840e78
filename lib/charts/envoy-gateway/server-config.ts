import { parse, stringify } from 'yaml';
import { imageOf } from '../images';
import type { CompleteInstallValues } from '../values/install-values';

/** Envoy Gateway's configuration file: as its chart has it, with the images and names of the installation. */
export function serverConfig(rendered: string, values: CompleteInstallValues): string {
  const config = parse(rendered) as Record<string, unknown>;
  const { controllerName, logLevel } = values.envoyGateway;
  return stringify(
    {
      ...config,
      gateway: { controllerName },
      logging: { level: { default: logLevel } },
      // No rate limit service: no gateway of ours asks for one.
      provider: { type: 'Kubernetes', kubernetes: { shutdownManager: { image: imageOf('envoyGateway', values) } } },
    },
    // In quotes, so that the text is the same whether a string is known now or later.
    { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 },
  );
}
