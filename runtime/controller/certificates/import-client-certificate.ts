import type { InferenceGatewayConfig } from '../../../lib/api/inference-gateway-config/inference-gateway-config';
import { acmArn, endpointType } from '../../../lib/translate/cluster/ingress/endpoint-type';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { OwningConfig } from '../../../lib/translate/cluster/owned-object';
import type { Installation, Problem } from '../../../lib/translate/cluster/types';
import { secretText } from './authority-secret';
import { type CertificateStore, StoreFault } from './certificate-store';
import {
  clientSecret,
  fingerprintOf,
  type ImportRecord,
  materialIn,
  recordIn,
  recordSecret,
  tagsOf,
  withRecord,
} from './client-certificate';
import { deleteImportedCertificate, type ImportOptions, importCertificate } from './import-certificate';
import { readRecord } from './recorded-arn';
import { deleteSecret, readSecret, type SecretsApi, writeSecret } from './trust-secrets';

export interface ClientImportOptions extends ImportOptions {
  readonly installation: Installation;
  /** Absent: the process runs in no Region of AWS. */
  readonly store: CertificateStore | undefined;
  /** Whether the API server has the config still as it is given. */
  readonly isCurrent: () => Promise<boolean>;
}

export interface ClientImport {
  readonly problems: readonly Problem[];
  /** When to look again. Milliseconds from now. */
  readonly dueIn?: number;
  /** What was taken away, or is not the gateway's though its status says so. */
  readonly deletedArn?: string;
}

/** Until a certificate has been issued, or a load balancer lets go of one. Milliseconds. */
const LOOK_AGAIN_MS = 10_000;

/** Before it is asked again whether what is known of the config is up to date. Milliseconds. */
const BEHIND_MS = 5_000;

/** What the store refuses it will go on refusing for a while. Milliseconds. */
const AFTER_FAULT_MS = 60_000;

/**
 * Keeps the store's copy of what clients see as the cluster has it, for the load balancer in front; and takes it away where
 * nothing is issued any more. Rejects with an ApiError where the API server refuses.
 */
export async function importClientCertificate(
  api: SecretsApi,
  config: InferenceGatewayConfig,
  options: ClientImportOptions,
): Promise<ClientImport> {
  const { installation, store, signal } = options;
  const wanted = acmArn(config.spec) === undefined && endpointType(config) !== 'clusterIP';
  const present = await readRecord(api, config, installation, signal);
  const claimed = recordIn(present, config);
  if (!wanted && claimed.arn === undefined) return { problems: [] };
  if (store === undefined) return { problems: wanted ? [noStore(config)] : [] };
  try {
    const isOurs = claimed.arn !== undefined && (await isImportedFor(config, claimed.arn, present, store, signal));
    const record = isOurs ? claimed : {};
    if (wanted) return await keepImported(api, config, record, { ...options, store });
    if (record.arn !== undefined) {
      // It may be wanted again.
      if (!(await options.isCurrent())) return { problems: [], dueIn: BEHIND_MS };
      await deleteImportedCertificate(store, record.arn, options);
      await deleteSecret(api, recordSecret(config, installation), signal);
    }
    return { problems: [], ...(claimed.arn !== undefined && { deletedArn: claimed.arn }) };
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    if (!wanted && error.reason === 'InUse') return { problems: [], dueIn: LOOK_AGAIN_MS };
    return { problems: [wanted ? notImported(config, error) : notDeleted(error)], dueIn: AFTER_FAULT_MS };
  }
}

/**
 * Whether a certificate was imported for a gateway: by its record, else by the certificate's tags. A name that only the
 * status has may be anybody's: whoever may write a status could else have any certificate replaced or deleted.
 */
export async function isImportedFor(
  config: OwningConfig,
  arn: string,
  record: KubernetesObject | undefined,
  store: CertificateStore,
  signal: AbortSignal,
): Promise<boolean> {
  return secretText(record, 'arn') === arn || (await store.hasTags(arn, tagsOf(config), signal));
}

async function keepImported(
  api: SecretsApi,
  config: InferenceGatewayConfig,
  record: Partial<ImportRecord>,
  options: ClientImportOptions & { readonly store: CertificateStore },
): Promise<ClientImport> {
  const { installation, store, signal } = options;
  const material = materialIn(await readSecret(api, clientSecret(config, installation), signal));
  if (material === undefined) return { problems: [], dueIn: LOOK_AGAIN_MS };
  const fingerprint = fingerprintOf(material);
  if (fingerprint === record.fingerprint) return { problems: [] };
  const arn = await importCertificate(store, material, { arn: record.arn, tags: tagsOf(config) }, options);
  const secret = recordSecret(config, installation);
  await writeSecret(api, withRecord(secret, { arn, fingerprint }), await readSecret(api, secret, signal), signal);
  return { problems: [], dueIn: LOOK_AGAIN_MS };
}

function notImported(config: InferenceGatewayConfig, { reason, message }: StoreFault): Problem {
  const remedy =
    reason === 'Denied'
      ? 'allow acm:ImportCertificate, acm:AddTagsToCertificate, acm:ListCertificates, acm:ListTagsForCertificate and acm:DeleteCertificate to the role of the controller'
      : reason === 'Unreachable'
        ? 'let the controller reach the ACM endpoint of its Region, such as by a VPC endpoint; it is tried again each minute'
        : reason === 'Invalid'
          ? 'see what ACM says of it'
          : 'it is tried again each minute';
  return {
    ...weightOf(config),
    reason: 'CertificateNotImported',
    message: `${message}; ${remedy}, or name a certificate that is there in spec.tls.acmArn`,
    blocks: false,
  };
}

/** One that is no longer needed. */
function notDeleted({ message }: StoreFault): Problem {
  return {
    condition: 'GatewayProgrammed',
    warns: true,
    reason: 'CertificateNotDeleted',
    message: `${message}; allow acm:DeleteCertificate to the role of the controller, it is tried again each minute`,
    blocks: false,
  };
}

/** A Network Load Balancer passes TLS through, and does without the certificate. */
function weightOf(config: InferenceGatewayConfig): Pick<Problem, 'condition' | 'warns'> {
  return { condition: 'GatewayProgrammed', ...(endpointType(config) === 'nlb' && { warns: true as const }) };
}

function noStore(config: InferenceGatewayConfig): Problem {
  return {
    ...weightOf(config),
    reason: 'NoRegion',
    message:
      'the certificate of the load balancer cannot be imported into ACM, because the controller knows no Region: set AWS_REGION, or name a certificate that is there in spec.tls.acmArn',
    blocks: false,
  };
}
