import type { Command } from 'commander';
import type { TlsPaths } from '../../runtime/picker-rpc/tls-files';
import { EXIT_USAGE, fail } from '../exit';

/** Certificates: of connections of router and picker, and of what is served to Envoy. */
export interface TlsFlags {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly serveTlsCert?: string;
  readonly serveTlsKey?: string;
  readonly serveTlsCa?: string;
}

/** How the flags begin that are for Envoy. */
export const SERVE_TLS = '--serve-tls';

export function addTlsFlags(command: Command): Command {
  return command
    .option('--tls-cert <file>', 'certificate (PEM) that this side shows on connections of router and picker')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option('--tls-ca <file>', 'certificates (PEM) of whom the other side must have its certificate')
    .option('--serve-tls-cert <file>', 'certificate (PEM) that this side shows to Envoy, over ext_proc')
    .option('--serve-tls-key <file>', 'its private key (PEM)')
    .option('--serve-tls-ca <file>', 'certificates (PEM) of whom Envoy must have its certificate');
}

/** Of connections of router and picker. Undefined: no TLS. Ends the process where the flags do not fit together. */
export function tlsPaths({ tlsCert, tlsKey, tlsCa }: TlsFlags, side: 'router' | 'picker'): TlsPaths | undefined {
  return paths('--tls', tlsCert, tlsKey, tlsCa, side === 'picker');
}

/** Of what is served to Envoy, likewise. */
export function serveTlsPaths({ serveTlsCert, serveTlsKey, serveTlsCa }: TlsFlags): TlsPaths | undefined {
  return paths(SERVE_TLS, serveTlsCert, serveTlsKey, serveTlsCa, true);
}

function paths(
  flag: string,
  cert: string | undefined,
  key: string | undefined,
  ca: string | undefined,
  isServer: boolean,
): TlsPaths | undefined {
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined && key !== undefined) fail(`${flag}-key needs ${flag}-cert too`, EXIT_USAGE);
  if (key === undefined && cert !== undefined) fail(`${flag}-cert needs ${flag}-key too`, EXIT_USAGE);
  if (isServer && cert === undefined) fail(`${flag}-ca needs ${flag}-cert and ${flag}-key too`, EXIT_USAGE);
  return {
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(ca !== undefined && { ca }),
  };
}
