import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationToMilliseconds } from '../../lib/api/schema/duration';
import type { TlsPaths } from '../../runtime/picker-rpc/tls-files';
import { LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';
import { EXIT_USAGE, fail } from '../exit';
import { type HostPort, parseHostPort } from './addresses';

/** What the router and the picker have in common. */
export interface ServiceFlags {
  readonly file: string[];
  readonly metrics: HostPort;
  readonly name: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  /** Milliseconds. */
  readonly drainTimeout: number;
  readonly logLevel: LogLevel;
}

/** Adds them. `hostname`: of the machine, which in Kubernetes is the pod's name. */
export function addServiceFlags(command: Command, hostname: string): Command {
  return command
    .requiredOption('-f, --file <path...>', 'file or folder of YAML objects, which is followed')
    .addOption(
      new Option('--metrics <ip:port>', 'where /metrics, /healthz and /readyz are served')
        .argParser(parseHostPort)
        .default({ host: '0.0.0.0', port: 9090 }, '0.0.0.0:9090'),
    )
    .option('--name <name>', 'who this process is among its replicas; the same after a restart', hostname)
    .option('--tls-cert <file>', 'certificate (PEM) that this side shows on connections of router and picker')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option('--tls-ca <file>', 'certificates (PEM) of whom the other side must have its certificate')
    .addOption(
      new Option('--drain-timeout <duration>', 'after SIGTERM what is under way may take so long')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('info'));
}

/** Undefined: no TLS. Ends the process where the flags do not fit together. */
export function tlsPaths({ tlsCert, tlsKey, tlsCa }: ServiceFlags, side: 'router' | 'picker'): TlsPaths | undefined {
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  if (tlsCert === undefined && tlsKey !== undefined) fail('--tls-key needs --tls-cert too', EXIT_USAGE);
  if (tlsKey === undefined && tlsCert !== undefined) fail('--tls-cert needs --tls-key too', EXIT_USAGE);
  if (side === 'picker' && tlsCert === undefined) fail('--tls-ca needs --tls-cert and --tls-key too', EXIT_USAGE);
  return {
    ...(tlsCert !== undefined && { cert: tlsCert }),
    ...(tlsKey !== undefined && { key: tlsKey }),
    ...(tlsCa !== undefined && { ca: tlsCa }),
  };
}

/** For a flag that may come several times. */
export function each<T>(parse: (text: string) => T): (text: string, former: readonly T[] | undefined) => readonly T[] {
  return (text, former = []) => [...former, parse(text)];
}

function parseDuration(text: string): number {
  const milliseconds = durationToMilliseconds(text);
  if (milliseconds === undefined) throw new InvalidArgumentError('Expected a duration, such as 30s or 1m.');
  return milliseconds;
}
