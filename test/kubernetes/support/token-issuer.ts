import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './self-signed';

export type Claims = Readonly<Record<string, unknown>>;

/** Who issues tokens, outside of the cluster: a stand-in for a company's identity provider. */
export interface TokenIssuer {
  readonly issuer: string;
  /** Where its keys are published. */
  readonly keysUrl: string;
  /** PEM file of the authority of its certificate. */
  readonly caFile: string;
  /** Signed by its key; `iss` and an end in an hour unless the claims say otherwise. */
  token(claims: Claims): string;
  /** Of the same claims, signed by somebody else. */
  forged(claims: Claims): string;
  close(): Promise<void>;
}

const KEY_ID = 'first';
const HOUR = 3_600;

/** Serves its keys by HTTPS at every address of this machine, under the name `host`. */
export async function startTokenIssuer(host: string): Promise<TokenIssuer> {
  const folder = await mkdtemp(join(tmpdir(), 'token-issuer-'));
  const { certFile, certificate, key } = await selfSigned(join(folder, 'issuer'), [host]);
  const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [own, other] = [pair(), pair()];
  const keys = [{ ...own.publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: KEY_ID }];
  const server = createServer({ cert: certificate, key }, ({ url }, response) => {
    if (url !== '/keys') response.writeHead(404);
    response.end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  const issuer = `https://${host}:${port}`;

  const sign = (claims: Claims, privateKey: typeof own.privateKey) => {
    const now = Math.floor(Date.now() / 1_000);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = { alg: 'RS256', typ: 'JWT', kid: KEY_ID };
    const signed = `${part(header)}.${part({ iss: issuer, iat: now, exp: now + HOUR, ...claims })}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`;
  };
  return {
    issuer,
    keysUrl: `${issuer}/keys`,
    caFile: certFile,
    token: (claims) => sign(claims, own.privateKey),
    forged: (claims) => sign(claims, other.privateKey),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
