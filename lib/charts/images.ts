import { choose } from './template/choice';
import { expressionIn, stringExpression } from './template/expression';
import type { CompleteImageLocation } from './values/image';
import type { CompleteInstallValues } from './values/install-values';

/** The images of an installation, by the part of the values that says where each is. */
const LOCATIONS = {
  gateway: ({ image }: CompleteInstallValues) => image,
  envoyGateway: ({ envoyGateway }: CompleteInstallValues) => envoyGateway.image,
  envoy: ({ envoy }: CompleteInstallValues) => envoy.image,
  collector: ({ monitoring }: CompleteInstallValues) => monitoring.collectorImage,
};

export type ImageName = keyof typeof LOCATIONS;

/** The image as a container names it. */
export function imageOf(name: ImageName, values: CompleteInstallValues): string {
  const reference = referenceOf(values.imageRegistry, LOCATIONS[name](values));
  return expressionIn(reference) === undefined ? reference : stringExpression(`(include ${quotedName(name)} .)`);
}

/** Definitions that the expressions of `imageOf` include. */
export function imageTemplates(values: CompleteInstallValues): string {
  const names = Object.keys(LOCATIONS) as ImageName[];
  return names
    .map((name) => {
      const reference = expressionIn(referenceOf(values.imageRegistry, LOCATIONS[name](values)));
      return `{{- define ${quotedName(name)} }}{{ ${reference} }}{{ end }}\n`;
    })
    .join('');
}

function quotedName(name: ImageName): string {
  return JSON.stringify(`inference-gateway.${name}-image`);
}

function referenceOf(registryOfAll: string, { registry, repository, tag, digest }: CompleteImageLocation): string {
  const host = choose(registryOfAll, registryOfAll, registry);
  const name = choose(host, `${host}/${repository}`, repository);
  return choose(digest, `${name}@${digest}`, choose(tag, `${name}:${tag}`, name));
}
