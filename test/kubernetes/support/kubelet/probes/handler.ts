import type { V1HTTPGetAction, V1Probe } from '@kubernetes/client-node';
import type { ContainerProcess } from '../container/container-process';
import { grpcHealth } from './grpc-health';
import { httpGet } from './http-get';
import { tcpConnect } from './tcp-connect';

/** What a probe or a hook speaks to. */
export interface Target {
  readonly podIp: string;
  readonly process: ContainerProcess;
  /** The container's ports, by name. */
  readonly ports: ReadonlyMap<string, number>;
}

/** Why it failed; undefined where it did not. */
export type Failure = string | undefined;

export type Handler = Pick<V1Probe, 'exec' | 'grpc' | 'httpGet' | 'tcpSocket'>;

/** Asks once. */
export async function ask(handler: Handler, target: Target, timeoutMs: number): Promise<Failure> {
  const { podIp, process } = target;
  try {
    if (handler.exec !== undefined) {
      const { code, output } = await process.exec(handler.exec.command ?? [], timeoutMs);
      return code === 0 ? undefined : `exit code ${code}: ${output.trim().slice(-500)}`;
    }
    if (handler.httpGet !== undefined) return await askHttp(handler.httpGet, target, timeoutMs);
    if (handler.tcpSocket !== undefined) {
      const { host, port } = handler.tcpSocket;
      await tcpConnect(host ?? podIp, portNumber(port, target), timeoutMs);
      return undefined;
    }
    if (handler.grpc !== undefined) {
      return await grpcHealth(podIp, handler.grpc.port, handler.grpc.service ?? '', timeoutMs);
    }
    return 'the handler says nothing to do';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** As a probe counts: 200 to 399 is well. */
async function askHttp(action: V1HTTPGetAction, target: Target, timeoutMs: number): Promise<Failure> {
  const scheme = (action.scheme ?? 'HTTP').toLowerCase();
  const path = action.path ?? '/';
  const url = `${scheme}://${action.host ?? target.podIp}:${portNumber(action.port, target)}${path.startsWith('/') ? '' : '/'}${path}`;
  const headers = Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  const status = await httpGet(url, headers, timeoutMs);
  return status >= 200 && status < 400 ? undefined : `HTTP status ${status}`;
}

function portNumber(port: string | number, { ports }: Target): number {
  const number = typeof port === 'number' ? port : (ports.get(port) ?? Number(port));
  if (Number.isNaN(number)) throw new Error(`the container has no port "${port}"`);
  return number;
}
