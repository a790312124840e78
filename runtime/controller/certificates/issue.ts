import { type KeyPair, signingKey } from './key-pair';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from './x509';

const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** A certificate with its private key, both PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Hexadecimal; unique for each certificate of an issuer. */
  readonly serial: string;
}

export interface AuthorityRequest extends Validity {
  /** Another for each authority of the same holder: verifiers find an issuer by its name. */
  readonly commonName: string;
}

export interface LeafRequest extends Validity {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly usages: readonly LeafUsage[];
}

export type LeafUsage = 'server' | 'client';

/** A certificate that signs others, by its own key. */
export async function issueAuthority(request: AuthorityRequest, { keys, pem }: KeyPair): Promise<Certificate> {
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(request),
    name: [{ CN: [request.commonName] }],
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: pem };
}

/** Rejects where the authority is unreadable. */
export async function issueLeaf(
  request: LeafRequest,
  { keys, pem }: KeyPair,
  authority: Certificate,
): Promise<Certificate> {
  const issuer = new X509Certificate(authority.certificate);
  const usages = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth };
  const certificate = await X509CertificateGenerator.create({
    ...validity(request),
    subject: [{ CN: [request.commonName] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(request.usages.map((usage) => usages[usage])),
      ...(request.dnsNames.length > 0
        ? [new SubjectAlternativeNameExtension(request.dnsNames.map((value) => ({ type: 'dns', value })))]
        : []),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: pem };
}

function validity({ notBefore, notAfter, serial }: Validity) {
  return { notBefore, notAfter, serialNumber: serial };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`;
}
