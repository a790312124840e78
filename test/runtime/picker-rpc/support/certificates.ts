import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of its own and a certificate of it for `localhost` and 127.0.0.1, as PEM files in `folder`. */
export function makeCertificates(folder: string, name: string): Certificates {
  const file = (suffix: string) => join(folder, `${name}-${suffix}.pem`);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const [ca, caKey, cert, certKey] = [file('ca'), file('ca-key'), file('cert'), file('key')];
  openssl('req', '-x509', ...key, '-subj', `/CN=${name} CA`, '-keyout', caKey, '-out', ca);
  openssl(
    ...['req', '-x509', ...key, '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE', '-CA', ca, '-CAkey', caKey, '-keyout', certKey, '-out', cert],
  );
  return { ca, cert, key: certKey };
}
