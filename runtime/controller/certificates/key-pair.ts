import { createPrivateKey, webcrypto } from 'node:crypto';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** A key of P-256, which every TLS library takes and none finds slow. */
export interface KeyPair {
  readonly keys: webcrypto.CryptoKeyPair;
  /** PKCS #8 in PEM: `PRIVATE KEY`. */
  readonly pem: string;
}

export async function newKeyPair(): Promise<KeyPair> {
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const base64 = der.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return { keys, pem: `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n` };
}

/** For signing. Rejects where the text is no such key. */
export async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}
