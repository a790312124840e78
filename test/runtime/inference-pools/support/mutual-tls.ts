import type { experimental } from '@grpc/grpc-js';
import { INFERENCE_POOL_SECRETS } from '../../../../lib/translate/cluster/names';
import type { Certificate } from '../../../../runtime/controller/certificates/issue';
import { authority, leaf } from '../../controller/certificates/support/issuing';

/** An authority of today, and who it vouches for. */
export interface Trust {
  readonly ca: string;
  /** Of `localhost`. */
  readonly server: Certificate;
  /** Of Envoy Gateway. */
  readonly client: Certificate;
  readonly envoy: Certificate;
}

/** Milliseconds. */
const HOUR = 3_600_000;

export async function newTrust(dnsName = 'localhost'): Promise<Trust> {
  const validity = { notBefore: new Date(Date.now() - HOUR), notAfter: new Date(Date.now() + HOUR) };
  const signer = await authority(validity);
  const holder = (commonName: string) => leaf(signer, { ...validity, commonName, dnsNames: [], usages: ['client'] });
  const [server, client, envoy] = await Promise.all([
    leaf(signer, { ...validity, commonName: 'server', dnsNames: [dnsName], usages: ['server'] }),
    holder(INFERENCE_POOL_SECRETS.envoyGateway),
    holder(INFERENCE_POOL_SECRETS.envoy),
  ]);
  return { ca: signer.certificate, server, client, envoy };
}

/** A provider whose certificates never change. */
export function fixedCertificates({ ca, server }: Trust): experimental.CertificateProvider {
  const identity = { certificate: Buffer.from(server.certificate), privateKey: Buffer.from(server.key) };
  return {
    addCaCertificateListener: (listener) => process.nextTick(() => listener({ caCertificate: Buffer.from(ca) })),
    removeCaCertificateListener: () => {},
    addIdentityCertificateListener: (listener) => process.nextTick(() => listener(identity)),
    removeIdentityCertificateListener: () => {},
  };
}
