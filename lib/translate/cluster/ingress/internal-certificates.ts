import type { InferenceGatewayConfig } from '../../../api/inference-gateway-config/inference-gateway-config';
import { createContext } from '../context';
import { gatewayNames } from '../names';
import type { Installation, World } from '../types';
import { endpointDnsNames } from './certificates';
import { acmArn } from './endpoint-type';

/** A Secret of type `kubernetes.io/tls` that the controller makes, with the authority of the gateway in `ca.crt`. */
export interface InternalCertificate {
  readonly name: string;
  readonly namespace: string;
  /** Names that its holder serves under; empty where it only connects to others. */
  readonly dnsNames: readonly string[];
  /** Whether its holder connects to others with it. */
  readonly client: boolean;
}

/**
 * Certificates for the connections inside a gateway: Envoy to router, router to picker, and with `acmArn` load balancer
 * to Envoy. None of them is seen by clients.
 */
export function internalCertificates(
  config: InferenceGatewayConfig,
  installation: Installation,
  world: World,
): readonly InternalCertificate[] {
  const names = gatewayNames(config);
  const { systemNamespace, clusterDomain } = installation;
  const { namespace } = config.metadata;
  const inCluster = (host: string) => [`${host}.svc`, `${host}.svc.${clusterDomain}`];
  return [
    { name: names.envoyCertificate, namespace: systemNamespace, dnsNames: [], client: true },
    {
      name: names.routerCertificate,
      namespace: systemNamespace,
      dnsNames: inCluster(`${names.router}.${systemNamespace}`),
      client: true,
    },
    // One for the pickers of all schedulers: a new scheduler waits for no certificate.
    { name: names.pickerCertificate, namespace, dnsNames: inCluster(`*.${namespace}`), client: false },
    ...(acmArn(config.spec) === undefined
      ? []
      : [
          {
            name: names.certificate,
            namespace: systemNamespace,
            dnsNames: endpointDnsNames(createContext(config, installation, world, 0)),
            client: false,
          },
        ]),
  ];
}
