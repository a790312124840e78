import type { V1Pod } from '@kubernetes/client-node';
import { CLUSTER_DOMAIN, DNS_SERVICE_IP } from '../addresses';

/** A pod's /etc/resolv.conf: short names are looked for in its namespace first. */
export function resolvConf({ metadata, spec }: V1Pod): string {
  const own = spec?.dnsPolicy === 'None';
  const config = spec?.dnsConfig ?? {};
  const searches = own ? [] : searchList(metadata!.namespace!);
  const options = new Map(own ? [] : [['ndots', '5']]);
  for (const { name, value } of config.options ?? []) options.set(name ?? '', value ?? '');
  return [
    ...[...(own ? [] : [DNS_SERVICE_IP]), ...(config.nameservers ?? [])].map((server) => `nameserver ${server}`),
    `search ${[...searches, ...(config.searches ?? [])].join(' ')}`,
    `options ${[...options].map(([name, value]) => (value === '' ? name : `${name}:${value}`)).join(' ')}`,
    '',
  ].join('\n');
}

export const searchList = (namespace: string): readonly string[] => [
  `${namespace}.svc.${CLUSTER_DOMAIN}`,
  `svc.${CLUSTER_DOMAIN}`,
  CLUSTER_DOMAIN,
];
