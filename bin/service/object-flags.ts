import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Logger } from 'pino';
import { schedulerName } from '../../lib/translate/gateway-state';
import type { FollowOptions } from '../../runtime/local/state-follower';
import { unservedFields } from '../../runtime/local/unserved-fields';
import { clusterObjects } from '../../runtime/objects/cluster-objects';
import { directorySource } from '../../runtime/objects/directory-source';
import type { ObjectSource, SourceStatus } from '../../runtime/objects/object-source';
import { EXIT_USAGE, fail } from '../exit';

/** Of `--kubernetes`. */
interface GatewayName {
  readonly namespace: string;
  readonly name: string;
}

/** Where the objects come from. */
export interface ObjectFlags {
  readonly file?: string[];
  readonly kubernetes?: GatewayName;
  readonly kubeconfig?: string;
  readonly stateFile?: string;
}

/** What a part of the gateway needs of the objects of a cluster. In files it finds everything. */
export interface ObjectNeeds {
  readonly pods: boolean;
  /** Schedulers, each `namespace/name`; default all. */
  readonly schedulers?: readonly string[] | undefined;
}

export interface ServedObjects {
  readonly source: ObjectSource;
  readonly follow: FollowOptions;
  /** Absent for files, which are never away. */
  status?(): SourceStatus;
}

export function addObjectFlags(command: Command): Command {
  return command
    .option('-f, --file <path...>', 'file or folder of YAML objects, which is followed')
    .addOption(
      new Option(
        '--kubernetes <name>',
        'NAMESPACE/NAME of an InferenceGatewayConfig: its objects are followed at the Kubernetes API, in place of -f',
      ).argParser(parseGatewayName),
    )
    .option('--kubeconfig <file>', "with --kubernetes: how to reach the API server (default: KUBECONFIG, or the pod's)")
    .option(
      '--state-file <file>',
      'with --kubernetes: keeps the last objects here, for a start while the API server is away',
    );
}

/** Ends the process where the flags do not fit together, or name a cluster that cannot be used. */
export async function openObjects(
  { file, kubernetes, kubeconfig, stateFile }: ObjectFlags,
  kind: string,
  { pods, schedulers }: ObjectNeeds,
  log: Logger,
): Promise<ServedObjects> {
  if (kubernetes === undefined) {
    if (file === undefined) fail('name the objects: with -f FILE, or with --kubernetes NAMESPACE/NAME', EXIT_USAGE);
    if (kubeconfig !== undefined) fail('--kubeconfig needs --kubernetes too', EXIT_USAGE);
    if (stateFile !== undefined) fail('--state-file needs --kubernetes too', EXIT_USAGE);
    return { source: directorySource(file), follow: { remarks: ({ objects }) => unservedFields(objects) } };
  }
  if (file !== undefined) fail('-f and --kubernetes both say where the objects are: give one of them', EXIT_USAGE);
  const { namespace } = kubernetes;
  const own = (name: string) => schedulers?.includes(schedulerName({ namespace, name })) ?? true;
  const userAgent = `inference-gateway-${kind}`;
  const { source, compile, status, keep } = await clusterObjects({
    ...kubernetes,
    ...{ kubeconfig, stateFile, own, pods, userAgent, log },
  }).catch((error: Error) => fail(`--kubernetes: ${error.message}`, EXIT_USAGE));
  return { source, follow: { compile, waits: true, onGood: keep }, status };
}

function parseGatewayName(text: string): GatewayName {
  const { namespace, name } = GATEWAY.exec(text)?.groups ?? {};
  if (namespace === undefined || name === undefined) {
    throw new InvalidArgumentError('Expected NAMESPACE/NAME of an InferenceGatewayConfig, such as default/gateway.');
  }
  return { namespace, name };
}

const GATEWAY =
  /^(?<namespace>[a-z0-9]([-a-z0-9]*[a-z0-9])?)\/(?<name>[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/;
