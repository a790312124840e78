import type { Translation } from '../../../../lib/translate/cluster/types';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import type { Bench } from './bench';

export const CERTIFICATES = resourceOf('cert-manager.io/v1', 'Certificate');

/** Names that the certificate which clients see is asked for. */
export function wantedNames({ objects }: Translation): readonly string[] {
  const wanted = objects.find(({ kind, metadata }) => kind === 'Certificate' && metadata.name === 'gw-tls');
  return (wanted!.spec as { dnsNames: readonly string[] }).dnsNames;
}

/** What cert-manager would say of the Certificate as it is now; `failure`: that it could not be issued. */
export function sayOfCertificate(bench: Bench, ready: boolean, failure?: string): void {
  const certificate = bench.api.cluster.get(CERTIFICATES, 'gw-tls', 'inference-system')!;
  const { generation: observedGeneration } = certificate.metadata;
  const said = (type: string, holds: boolean, message: string) => ({
    ...{ type, status: holds ? 'True' : 'False', message, observedGeneration },
  });
  const conditions = [
    said('Ready', ready, ready ? 'up to date' : 'not up to date'),
    ...(failure === undefined ? [] : [said('Issuing', false, failure)]),
  ];
  bench.edit(certificate, (it) => Object.assign(it, { status: { revision: 1, conditions } }));
}
