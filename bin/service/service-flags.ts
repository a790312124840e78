import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationToMilliseconds } from '../../lib/api/schema/duration';
import { LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';
import { type HostPort, parseHostPort } from './addresses';
import { addObjectFlags, type ObjectFlags } from './object-flags';
import { addTlsFlags, type TlsFlags } from './tls-flags';

/** What the router and the picker have in common. */
export interface ServiceFlags extends ObjectFlags, TlsFlags {
  readonly metrics: HostPort;
  readonly name: string;
  /** Milliseconds. */
  readonly drainTimeout: number;
  readonly logLevel: LogLevel;
}

/** Adds them. `hostname`: of the machine, which in Kubernetes is the pod's name. */
export function addServiceFlags(command: Command, hostname: string): Command {
  addObjectFlags(command)
    .addOption(
      new Option('--metrics <ip:port>', 'where /metrics, /healthz and /readyz are served')
        .argParser(parseHostPort)
        .default({ host: '0.0.0.0', port: 9090 }, '0.0.0.0:9090'),
    )
    .option('--name <name>', 'who this process is among its replicas; the same after a restart', hostname);
  return addTlsFlags(command)
    .addOption(
      new Option('--drain-timeout <duration>', 'after SIGTERM what is under way may take so long')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('info'));
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
