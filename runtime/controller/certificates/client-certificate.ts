import { X509Certificate } from 'node:crypto';
import type { InferenceGatewayConfig } from '../../../lib/api/inference-gateway-config/inference-gateway-config';
import { propertyAt, textOf } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { GROUP, gatewayNames } from '../../../lib/translate/cluster/names';
import { type OwningConfig, ownedObjects } from '../../../lib/translate/cluster/owned-object';
import { shortName } from '../../../lib/translate/cluster/short-name';
import type { Installation } from '../../../lib/translate/cluster/types';
import { secretData, secretText } from './authority-secret';
import { certificatesIn } from './certificate-facts';
import type { ImportedMaterial, Tags } from './certificate-store';

/** The Secret with what clients see. */
export function clientSecret(config: InferenceGatewayConfig, { systemNamespace }: Installation): KubernetesObject {
  return ownedObjects(config)(
    'v1',
    'Secret',
    { name: gatewayNames(config).certificate, namespace: systemNamespace },
    {},
  );
}

/** What the store is given. Undefined while there is nothing that it could be given. */
export function materialIn(secret: KubernetesObject | undefined): ImportedMaterial | undefined {
  const key = secretText(secret, 'tls.key');
  const [certificate, ...issuers] = certificatesIn(secretText(secret, 'tls.crt'));
  if (key === undefined || certificate === undefined) return undefined;
  const chain = issuers.length > 0 ? issuers.join('') : certificatesIn(secretText(secret, 'ca.crt')).join('');
  return { certificate, key, ...(chain !== '' && { chain }) };
}

/** What was imported, and as what. */
export interface ImportRecord {
  readonly arn: string;
  /** Of the certificate. */
  readonly fingerprint: string;
}

export function fingerprintOf({ certificate }: ImportedMaterial): string {
  return new X509Certificate(certificate).fingerprint256;
}

const RECORD = 'imported-certificate';

export function isRecord({ kind, metadata }: KubernetesObject): boolean {
  return kind === 'Secret' && metadata.name.endsWith(`-${RECORD}`);
}

/** The Secret that keeps the name of the imported certificate: metadata and type. */
export function recordSecret(config: OwningConfig, { systemNamespace }: Installation): KubernetesObject {
  const name = shortName(config.metadata.name, RECORD);
  return ownedObjects(config)('v1', 'Secret', { name, namespace: systemNamespace }, { type: 'Opaque' });
}

export function withRecord(secret: KubernetesObject, { arn, fingerprint }: ImportRecord): KubernetesObject {
  return { ...secret, data: secretData({ arn, fingerprint }) };
}

/**
 * `status`: where the Secret is gone, the name is still in the status of the InferenceGatewayConfig, which need not be valid
 * any more.
 */
export function recordIn(
  secret: KubernetesObject | undefined,
  config: KubernetesObject | InferenceGatewayConfig,
): Partial<ImportRecord> {
  const arn = secretText(secret, 'arn') ?? textOf(propertyAt(config.status, 'tls', 'acmArn'));
  const fingerprint = secretText(secret, 'fingerprint');
  // One that its author names is the author's own.
  if (arn === undefined || arn === '' || arn === textOf(propertyAt(config.spec, 'tls', 'acmArn'))) return {};
  return { arn, ...(fingerprint !== undefined && { fingerprint }) };
}

/** By which an imported certificate is found again: another cluster may have a gateway of the same name. */
export function tagsOf({ metadata }: OwningConfig): Tags {
  return {
    CreatedBy: 'HyperPodInference',
    [`${GROUP}/gateway`]: `${metadata.namespace}/${metadata.name}`,
    [`${GROUP}/uid`]: metadata.uid ?? '',
  };
}
