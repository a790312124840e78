import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import type { ListenAddress } from '../../runtime/ext-proc/listen';
import type { PickerAddress, PickerTarget } from '../../runtime/picker-rpc/connect/picker-address';
import type { ServiceTemplate } from '../../runtime/picker-service/service-template';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Of a scheduler: `namespace/name`. */
const SCHEDULER = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
/** May end with a dot, which keeps the resolver from trying other domains. */
const HOST_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\.?$/i;

/** `IP:PORT`; port 0 takes a free one. */
export function parseHostPort(text: string): HostPort {
  const found = hostPort(text);
  if (found === undefined || isIP(found.host) === 0) {
    throw new InvalidArgumentError('Expected IP:PORT, such as 0.0.0.0:9004 or [::]:9004.');
  }
  return found;
}

/** `IP:PORT`, or `unix:PATH`. */
export function parseListen(text: string): ListenAddress {
  return unixPath(text) ?? parseHostPort(text);
}

/** `HOST:PORT` or `unix:PATH`, after `SCHEDULER=` where it is of one scheduler. */
export function parsePickerTarget(text: string): PickerTarget {
  const { scheduler, rest } = splitScheduler(text);
  return { scheduler, address: parsePickerAddress(rest) };
}

/** `HOST:PORT` with `{name}`, and `{namespace}` where it is needed, in the host. */
export function parseServiceTemplate(text: string): ServiceTemplate {
  const example = text.replaceAll('{name}', 'name').replaceAll('{namespace}', 'namespace');
  const host = text.slice(0, text.lastIndexOf(':'));
  const found = hostPort(example);
  if (!host.includes('{name}') || found === undefined || found.port === 0 || !HOST_NAME.test(found.host)) {
    throw new InvalidArgumentError(
      "Expected HOST:PORT with {name} and {namespace} for the scheduler's, such as {name}-epp.{namespace}.svc:9005.",
    );
  }
  return { host, port: found.port };
}

/** `SCHEDULER=IP:PORT` or `SCHEDULER=unix:PATH`. */
export function parseSchedulerListen(text: string): { readonly scheduler: string; readonly listen: ListenAddress } {
  const { scheduler, rest } = splitScheduler(text);
  if (scheduler === undefined)
    throw new InvalidArgumentError('Expected NAMESPACE/NAME=IP:PORT, such as default/llama=0.0.0.0:9002.');
  return { scheduler, listen: parseListen(rest) };
}

/** `NAMESPACE/NAME` of a scheduler. */
export function parseScheduler(text: string): string {
  if (!SCHEDULER.test(text)) throw new InvalidArgumentError('Expected NAMESPACE/NAME, such as default/llama.');
  return text;
}

function parsePickerAddress(text: string): PickerAddress {
  const unix = unixPath(text);
  if (unix !== undefined) return unix;
  const found = hostPort(text);
  const isHost = found !== undefined && (isIP(found.host) !== 0 || HOST_NAME.test(found.host));
  if (!isHost || found.port === 0) {
    throw new InvalidArgumentError(
      'Expected HOST:PORT or unix:PATH, such as pickers.default.svc:9005, or with NAMESPACE/NAME= before it for the picker of one scheduler.',
    );
  }
  return found;
}

function splitScheduler(text: string): { readonly scheduler: string | undefined; readonly rest: string } {
  const end = text.startsWith('unix:') ? -1 : text.indexOf('=');
  if (end < 0) return { scheduler: undefined, rest: text };
  return { scheduler: parseScheduler(text.slice(0, end)), rest: text.slice(end + 1) };
}

function unixPath(text: string): { readonly path: string } | undefined {
  return text.startsWith('unix:') && text.length > 5 ? { path: text.slice(5) } : undefined;
}

function hostPort(text: string): HostPort | undefined {
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<name>[^:[\]]+)):(?<port>\d{1,5})$/.exec(text);
  const { six, name, port } = match?.groups ?? {};
  const host = six ?? name;
  if (host === undefined || Number(port) > 65_535 || (six !== undefined && isIP(six) !== 6)) return undefined;
  return { host, port: Number(port) };
}
