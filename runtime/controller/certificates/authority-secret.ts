import { propertyAt, textOf } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { GROUP } from '../../../lib/translate/cluster/names';
import type { AuthorityState } from './authority-state';
import { certificateFacts, certificatesIn, hasKey } from './certificate-facts';
import type { Certificate } from './issue';

const SETTLED_ANNOTATION = `${GROUP}/settled-at`;

/** The fields of a Secret that keeps an authority. */
export function authoritySecret({ signer, next, former, settledAt }: AuthorityState): {
  readonly annotations: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
} {
  return {
    annotations: settledAt === undefined ? {} : { [SETTLED_ANNOTATION]: new Date(settledAt).toISOString() },
    data: secretData({
      'tls.crt': signer.certificate,
      'tls.key': signer.key,
      'next.crt': next?.certificate,
      'next.key': next?.key,
      'former.crt': former.length === 0 ? undefined : former.join(''),
    }),
  };
}

/** Undefined where the Secret has no readable signer; a part that is damaged is left out. */
export function authorityIn(secret: KubernetesObject): AuthorityState | undefined {
  const signer = pair(secretText(secret, 'tls.crt'), secretText(secret, 'tls.key'));
  if (signer === undefined) return undefined;
  const next = pair(secretText(secret, 'next.crt'), secretText(secret, 'next.key'));
  const settledAt = Date.parse(secret.metadata.annotations?.[SETTLED_ANNOTATION] ?? '');
  return {
    signer,
    ...(isComplete(next) && { next }),
    former: certificatesIn(secretText(secret, 'former.crt')).filter((pem) => certificateFacts(pem) !== undefined),
    ...(Number.isFinite(settledAt) && { settledAt }),
  };
}

export function secretData(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, Buffer.from(text).toString('base64')]],
    ),
  );
}

export function secretText(secret: KubernetesObject | undefined, name: string): string | undefined {
  const base64 = textOf(propertyAt(secret?.data, name));
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString();
}

function pair(certificate: string | undefined, key: string | undefined): AuthorityState['signer'] | undefined {
  const facts = certificateFacts(certificate);
  if (certificate === undefined || facts === undefined) return undefined;
  return hasKey(facts, key) && key !== undefined ? { certificate, key } : { certificate };
}

function isComplete(signer: AuthorityState['signer'] | undefined): signer is Certificate {
  return signer?.key !== undefined;
}
