import type { Context } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { gatewayLabels } from '../names';
import { acmArn } from './endpoint-type';

/** An authority outlives what it issues by far: clients have it in their trust stores. */
const AUTHORITY_DURATION = '87600h';
const AUTHORITY_RENEW_BEFORE = '8760h';
const DURATION = '2160h';
const RENEW_BEFORE = '720h';

/** Names by which clients reach the Envoys: those of their Service, of the load balancer once it has one, and the config's. */
export function endpointDnsNames({ config, installation, world, names }: Context): readonly string[] {
  const service = `${names.envoy}.${installation.envoyNamespace}`;
  const { loadBalancerHostname: hostname } = world;
  return [
    ...new Set([
      `${service}.svc`,
      `${service}.svc.${installation.clusterDomain}`,
      service,
      ...(hostname === undefined ? [] : [hostname.toLowerCase()]),
      ...(config.spec.tls?.dnsNames ?? []),
    ]),
  ];
}

/**
 * What cert-manager is asked for where it is installed, and the published authority, which is needed for as long as the
 * certificate is shown. With `acmArn` nothing: clients see the load balancer's certificate, and Envoy shows it one of the
 * controller's.
 */
export function certificateObjects(context: Context): KubernetesObject[] {
  const { config, world } = context;
  if (acmArn(config.spec) !== undefined) return [];
  return [
    ...(world.certManager ? requests(context) : []),
    ...(world.certificateAuthority === undefined ? [] : [publishedAuthority(context, world.certificateAuthority)]),
  ];
}

function requests(context: Context): KubernetesObject[] {
  const { config, installation, names, make } = context;
  const place = (name: string) => ({ name, namespace: installation.systemNamespace });
  const issuer = (name: string, spec: Readonly<Record<string, unknown>>) =>
    make('cert-manager.io/v1', 'Issuer', place(name), { spec });
  const certificate = (name: string, spec: Readonly<Record<string, unknown>>) =>
    make('cert-manager.io/v1', 'Certificate', place(name), {
      spec: {
        secretName: name,
        // The Secret stays where `acmArn` comes instead; then the controller may take it over.
        secretTemplate: { labels: gatewayLabels(config) },
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        ...spec,
      },
    });
  const { issuerRef } = config.spec.tls ?? {};
  return [
    certificate(names.certificate, {
      dnsNames: endpointDnsNames(context),
      duration: DURATION,
      renewBefore: RENEW_BEFORE,
      usages: ['digital signature', 'server auth'],
      issuerRef: issuerRef ?? { group: 'cert-manager.io', kind: 'Issuer', name: names.authority },
    }),
    ...(issuerRef !== undefined
      ? []
      : [
          issuer(names.selfSigned, { selfSigned: {} }),
          certificate(names.authority, {
            isCA: true,
            commonName: `${names.gateway} authority`.slice(0, 64),
            duration: AUTHORITY_DURATION,
            renewBefore: AUTHORITY_RENEW_BEFORE,
            // Clients know its key.
            privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' },
            issuerRef: { group: 'cert-manager.io', kind: 'Issuer', name: names.selfSigned },
          }),
          issuer(names.authority, { ca: { secretName: names.authority } }),
        ]),
  ];
}

/** Where clients find whom to trust. */
function publishedAuthority({ names, namespace, make }: Context, authority: string): KubernetesObject {
  return make('v1', 'ConfigMap', { name: names.authority, namespace }, { data: { 'ca.crt': authority } });
}
