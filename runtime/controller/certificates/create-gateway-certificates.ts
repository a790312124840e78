import { acmArn } from '../../../lib/translate/cluster/ingress/endpoint-type';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { OwningConfig } from '../../../lib/translate/cluster/owned-object';
import type { Installation } from '../../../lib/translate/cluster/types';
import type { ApiClient } from '../../kubernetes/api-client';
import { isApiError } from '../../kubernetes/api-error';
import type { Clock } from '../../kubernetes/clock';
import { resourceOf } from '../../kubernetes/resources';
import { createFreshView } from '../fresh-view';
import { type ClientCertificate, type GatewayCertificates, KEEP_CERTIFICATE } from '../gateway-certificates';
import { secretText } from './authority-secret';
import { certificateFacts } from './certificate-facts';
import { type CertificateStore, StoreFault } from './certificate-store';
import { clientSecret, recordIn, tagsOf } from './client-certificate';
import { gatewayTrust } from './gateway-trust';
import { deleteImportedCertificate, findImportedCertificate } from './import-certificate';
import { importClientCertificate, isImportedFor } from './import-client-certificate';
import { GRACE_MS, waitUntil } from './lifetimes';
import { reconcileTrust } from './reconcile-trust';
import { readRecord } from './recorded-arn';
import { serialNumber } from './serial-number';
import { deleteSecret, readSecret } from './trust-secrets';

export interface GatewayCertificatesOptions {
  readonly client: ApiClient;
  readonly installation: Installation;
  /** Where certificates are imported. Absent: the process runs in no Region of AWS. */
  readonly store: CertificateStore | undefined;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Where a certificate may not be deleted. */
const REMEDY = `allow acm:DeleteCertificate and acm:ListTagsForCertificate to the role of the controller, or leave the certificate in ACM: annotate the InferenceGatewayConfig with ${KEEP_CERTIFICATE}=true`;

/** cert-manager's, on a Secret that it has made. */
const CERTIFICATE_ANNOTATION = 'cert-manager.io/certificate-name';

export function createGatewayCertificates(options: GatewayCertificatesOptions): GatewayCertificates {
  const { client, installation, store, clock } = options;
  const view = createFreshView(client);

  /** Left by cert-manager, which no longer looks after it. */
  async function mayAdopt(secret: KubernetesObject, signal: AbortSignal): Promise<boolean> {
    const name = secret.metadata.annotations?.[CERTIFICATE_ANNOTATION];
    if (name === undefined) return false;
    const certificates = resourceOf('cert-manager.io/v1', 'Certificate');
    try {
      return (await client.get(certificates, name, secret.metadata.namespace, signal)) === undefined;
    } catch (error) {
      if (isApiError(error, 404)) return true;
      throw error;
    }
  }

  async function forgetRecord(claimant: OwningConfig, signal: AbortSignal): Promise<void> {
    const record = await readRecord(client, claimant, installation, signal);
    if (record !== undefined) await deleteSecret(client, record, signal);
  }

  return {
    async read(config, signal) {
      const { arn } = recordIn(await readRecord(client, config, installation, signal), config);
      // The load balancer's own: nobody knows more of it than its author.
      if (acmArn(config.spec) !== undefined) return arn === undefined ? {} : { issued: { acmArn: arn } };
      return clientCertificate(await readSecret(client, clientSecret(config, installation), signal), arn);
    },

    async ensure(config, signal) {
      const now = clock.wall();
      const trust = await reconcileTrust(client, gatewayTrust(config, installation), {
        now,
        graceMs: GRACE_MS,
        serial: serialNumber,
        mayAdopt: (secret) => mayAdopt(secret, signal),
        signal,
      });
      return { problems: trust.problems, dueIn: waitUntil(trust.dueAt, now) };
    },

    importIssued: (config, signal) =>
      importClientCertificate(client, config, {
        ...options,
        isCurrent: () => view.isCurrent(config, signal),
        signal,
      }),

    findImported: async (config, signal) =>
      store && (await findImportedCertificate(store, tagsOf(config), { ...options, signal })),

    async deleteImported(arn, claimant, signal) {
      if (store === undefined) throw new StoreFault('Unavailable', 'the controller knows no Region: set AWS_REGION');
      try {
        if (claimant !== undefined) {
          const record = await readRecord(client, claimant, installation, signal);
          if (!(await isImportedFor(claimant, arn, record, store, signal))) return;
        }
        await deleteImportedCertificate(store, arn, { ...options, signal });
        // Else a gateway that is made again under the name would take over what is gone.
        if (claimant !== undefined) await forgetRecord(claimant, signal);
      } catch (error) {
        if (!(error instanceof StoreFault) || error.reason !== 'Denied') throw error;
        throw new StoreFault('Denied', `${error.message}; ${REMEDY}`, { cause: error });
      }
    },
  };
}

function clientCertificate(secret: KubernetesObject | undefined, arn: string | undefined): ClientCertificate {
  const facts = certificateFacts(secretText(secret, 'tls.crt'));
  const authority = secretText(secret, 'ca.crt');
  const issued = {
    ...(arn !== undefined && { acmArn: arn }),
    ...(facts !== undefined && {
      issuedAt: new Date(facts.notBefore).toISOString().replace(/\.\d+/, ''),
      dnsNames: facts.dnsNames,
    }),
  };
  return {
    ...(authority !== undefined && authority !== '' && { authority }),
    ...(Object.keys(issued).length > 0 && { issued }),
  };
}
