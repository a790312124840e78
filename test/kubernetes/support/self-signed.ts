import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** A certificate that is its own authority, for these DNS names and addresses, valid for two days, at `path`.crt and .key. */
export async function selfSigned(path: string, names: readonly string[]): Promise<CertificateFiles> {
  const [certFile, keyFile] = [`${path}.crt`, `${path}.key`];
  const subjects = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=kubernetes-test', '-addext', `subjectAltName=${subjects}`, '-keyout', keyFile, '-out', certFile],
  ]);
  const [certificate, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { certFile, keyFile, certificate, key };
}
