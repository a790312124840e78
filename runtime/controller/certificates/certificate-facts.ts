import { createPrivateKey, X509Certificate } from 'node:crypto';

/** What is read of a certificate. */
export interface CertificateFacts {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Sorted. */
  readonly dnsNames: readonly string[];
  readonly isServer: boolean;
  readonly isClient: boolean;
  readonly parsed: X509Certificate;
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** Of the first certificate in a PEM text; undefined where there is none. */
export function certificateFacts(pem: string | undefined): CertificateFacts | undefined {
  const [first] = certificatesIn(pem);
  if (first === undefined) return undefined;
  const parsed = parse(first);
  if (parsed === undefined) return undefined;
  // Node names the purposes `keyUsage`; without them a certificate serves any.
  const purposes = parsed.keyUsage as readonly string[] | undefined;
  return {
    notBefore: parsed.validFromDate.getTime(),
    notAfter: parsed.validToDate.getTime(),
    dnsNames: dnsNamesOf(parsed),
    isServer: purposes?.includes(SERVER_AUTH) ?? true,
    isClient: purposes?.includes(CLIENT_AUTH) ?? true,
    parsed,
  };
}

/** Whether `key` is the private key of the certificate. */
export function hasKey({ parsed }: CertificateFacts, key: string | undefined): boolean {
  try {
    return key !== undefined && parsed.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

export function isIssuedBy({ parsed }: CertificateFacts, authority: CertificateFacts): boolean {
  return parsed.checkIssued(authority.parsed) && parsed.verify(authority.parsed.publicKey);
}

/** The PEM of each certificate in a text, each with a newline at its end. */
export function certificatesIn(pem: string | undefined): string[] {
  const found = pem?.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return found.map((certificate) => `${certificate}\n`);
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function dnsNamesOf({ subjectAltName }: X509Certificate): string[] {
  const entries = subjectAltName?.split(', ') ?? [];
  return entries
    .filter((entry) => entry.startsWith('DNS:'))
    .map((entry) => entry.slice('DNS:'.length))
    .sort();
}
