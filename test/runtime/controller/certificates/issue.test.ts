import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { certificateFacts, hasKey, isIssuedBy } from '../../../../runtime/controller/certificates/certificate-facts';
import type { Certificate } from '../../../../runtime/controller/certificates/issue';
import { authority, DAY, leaf, NOW, serial } from './support/issuing';

test('an authority says that it is one, and signs itself', async () => {
  const { certificate } = await authority({ commonName: 'gw 1234', serial: '7f'.repeat(16) });
  const parsed = new X509Certificate(certificate);
  expect(parsed.ca).toBe(true);
  expect(parsed.subject).toBe('CN=gw 1234');
  expect(parsed.issuer).toBe('CN=gw 1234');
  expect(parsed.serialNumber).toBe('7F'.repeat(16));
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(parsed.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
});

test('a leaf has the names, purposes and life that are asked for, and its key', async () => {
  const by = await authority();
  const { certificate, key } = await leaf(by, { dnsNames: ['b.example.com', '*.a.example.com'], usages: ['client'] });
  const facts = certificateFacts(certificate)!;
  expect(facts).toMatchObject({
    dnsNames: ['*.a.example.com', 'b.example.com'],
    isServer: false,
    isClient: true,
    notBefore: NOW,
    notAfter: NOW + 90 * DAY,
  });
  expect(facts.parsed.ca).toBe(false);
  expect(hasKey(facts, key)).toBe(true);
  expect(hasKey(facts, by.key)).toBe(false);
  expect(isIssuedBy(facts, certificateFacts(by.certificate)!)).toBe(true);
  expect(isIssuedBy(facts, certificateFacts((await authority()).certificate)!)).toBe(false);
});

test('a leaf without names is for clients alone, and has no alternative names', async () => {
  const { certificate } = await leaf(await authority(), { dnsNames: [], usages: ['client'] });
  expect(new X509Certificate(certificate).subjectAltName).toBeUndefined();
});

test('an authority that is unreadable issues nothing', async () => {
  const { certificate, key } = await authority();
  await expect(leaf({ certificate: 'nonsense', key })).rejects.toThrow();
  await expect(leaf({ certificate, key: 'nonsense' })).rejects.toThrow();
});

describe('in a TLS handshake', () => {
  const ours = authority(valid());
  const server = ours.then((by) => leaf(by, { ...valid(), usages: ['server'] }));
  const client = ours.then((by) => leaf(by, { ...valid(), dnsNames: [], usages: ['client'] }));

  test('both sides are accepted', async () => {
    const { certificate } = await ours;
    await expect(handshake(await server, await client, certificate)).resolves.toEqual({
      server: 'router',
      client: 'router',
    });
  });

  test('by a bundle of two authorities both are accepted', async () => {
    const bundle = (await authority(valid())).certificate + (await ours).certificate;
    await expect(handshake(await server, await client, bundle)).resolves.toBeDefined();
  });

  test.each<[string, () => Promise<[Certificate, Certificate]>, RegExp]>([
    [
      'another authority',
      async () => [await server, await leaf(await authority(valid()), valid())],
      /server refuses: .*(UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER)/,
    ],
    ['a server certificate of a client', async () => [await server, await server], /server refuses: .*PURPOSE/],
    ['a client certificate of a server', async () => [await client, await client], /purpose|altnames|does not match/i],
    [
      'another name',
      async () => [await leaf(await ours, { ...valid(), dnsNames: ['picker.system.svc'] }), await client],
      /altnames/i,
    ],
    [
      'one whose life is over',
      async () => [await leaf(await ours, { notBefore: new Date(0), notAfter: new Date(DAY) }), await client],
      /expired/i,
    ],
  ])('%s is refused', async (_, sides, error) => {
    const [serverSide, clientSide] = await sides();
    await expect(handshake(serverSide, clientSide, (await ours).certificate)).rejects.toThrow(error);
  });
});

test('openssl verifies the chain', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chain-'));
  try {
    const by = await authority(valid());
    const issued = await leaf(by, valid());
    writeFileSync(join(folder, 'ca.crt'), by.certificate);
    writeFileSync(join(folder, 'tls.crt'), issued.certificate);
    writeFileSync(join(folder, 'tls.key'), issued.key);
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    expect(
      openssl(
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-verify_hostname',
        'router.system.svc',
        '-CAfile',
        'ca.crt',
        'tls.crt',
      ),
    ).toContain('OK');
    expect(openssl('pkey', '-in', 'tls.key', '-noout', '-text')).toContain('NIST CURVE: P-256');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('serial numbers of the tests are positive, as those of the product', () => {
  expect(serial()).toMatch(/^[4-7][0-9a-f]{31}$/);
});

function valid() {
  return { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
}

/** Connects to `router.system.svc`; both sides trust `ca`. Resolves with whom each has seen. */
async function handshake(server: Certificate, client: Certificate, ca: string) {
  const listener = createServer({
    cert: server.certificate,
    key: server.key,
    ca,
    requestCert: true,
    rejectUnauthorized: false,
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const accepted = new Promise<TLSSocket>((resolve, reject) => {
    listener.on('secureConnection', resolve);
    listener.on('tlsClientError', reject);
  });
  accepted.catch(() => {});
  const socket = connect({
    port: (listener.address() as AddressInfo).port,
    host: '127.0.0.1',
    servername: 'router.system.svc',
    cert: client.certificate,
    key: client.key,
    ca,
  });
  try {
    await once(socket, 'secureConnect');
    const peer = await accepted;
    if (!peer.authorized) throw new Error(`the server refuses: ${String(peer.authorizationError)}`);
    return { server: socket.getPeerCertificate().subject.CN, client: peer.getPeerCertificate().subject.CN };
  } finally {
    socket.destroy();
    listener.close();
  }
}
