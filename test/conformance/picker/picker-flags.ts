import { parseArgs } from 'node:util';

/** What the suite's manifests say to the picker that they name, as far as it matters here. */
export interface PickerFlags {
  readonly poolNamespace: string;
  readonly poolName: string;
  /** Where proxies reach it, by TLS. */
  readonly grpcPort: number;
  /** Where probes do, in plain text. */
  readonly healthPort: number;
}

/** Throws for a flag that the picker of the manifests does not have either, and where a port is none. */
export function pickerFlags(args: readonly string[]): PickerFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'pool-name': { type: 'string' },
      'pool-namespace': { type: 'string', default: 'default' },
      'grpc-port': { type: 'string', default: '9002' },
      'grpc-health-port': { type: 'string', default: '9003' },
      'zap-encoder': { type: 'string' },
    },
  });
  const poolName = values['pool-name'];
  if (poolName === undefined) throw new Error('--pool-name is missing');
  return {
    poolNamespace: values['pool-namespace'],
    poolName,
    grpcPort: port('--grpc-port', values['grpc-port']),
    healthPort: port('--grpc-health-port', values['grpc-health-port']),
  };
}

function port(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value < 65_536) return value;
  throw new Error(`${flag}: "${text}" is not a port`);
}
