import { Fields } from './fields';
import { ProtocolFault } from './protocol-fault';
import { MAX_NAME_LENGTH } from './request-fields';

/** Changes with every change of the messages that an older peer would misread. */
const PROTOCOL_VERSION = 1;

/** The first field of the first message of both sides, by which a stranger is told apart, whatever its version. */
export const MAGIC = 'igw-picker';

/** Of one picker. */
export const MAX_SCHEDULERS = 4096;

/** What a router says first. `boot` tells its lives apart: what a former life had in flight is over. */
export interface RouterHello {
  readonly gateway: string;
  readonly router: string;
  readonly boot: string;
}

/** What a picker says first. */
export interface PickerHello {
  readonly gateway: string;
  /** Who it is, over its lives: replicas are chosen by it. */
  readonly replica: string;
  readonly boot: string;
  /** Unix time, milliseconds. */
  readonly startedAt: number;
  /** It has been told picks for so long that it knows as much as others. */
  readonly warm: boolean;
  /** `namespace/name` of the schedulers that it picks for; undefined: all. */
  readonly schedulers: readonly string[] | undefined;
}

export function encodeRouterHello({ gateway, router, boot }: RouterHello): readonly unknown[] {
  return [MAGIC, PROTOCOL_VERSION, 'router', gateway, router, boot];
}

export function decodeRouterHello(message: readonly unknown[]): RouterHello {
  const fields = openHello(message, 'router');
  return {
    gateway: fields.text(MAX_NAME_LENGTH),
    router: fields.text(MAX_NAME_LENGTH),
    boot: fields.text(MAX_NAME_LENGTH),
  };
}

export function encodePickerHello(hello: PickerHello): readonly unknown[] {
  const { gateway, replica, boot, startedAt, warm, schedulers } = hello;
  return [MAGIC, PROTOCOL_VERSION, 'picker', gateway, replica, boot, startedAt, warm, schedulers ?? null];
}

export function decodePickerHello(message: readonly unknown[]): PickerHello {
  const fields = openHello(message, 'picker');
  return {
    gateway: fields.text(MAX_NAME_LENGTH),
    replica: fields.text(MAX_NAME_LENGTH),
    boot: fields.text(MAX_NAME_LENGTH),
    startedAt: fields.count(),
    warm: fields.flag(),
    schedulers: fields.optional((one) => one.list(MAX_SCHEDULERS, (item) => item.text(MAX_NAME_LENGTH))),
  };
}

/** Throws where the gateways differ: a router of one must not be given pods of another. */
export function assertSameGateway(own: string, other: string): void {
  if (own !== other) {
    throw new ProtocolFault(`the other side belongs to the gateway ${JSON.stringify(other)}, this one to ${own}`);
  }
}

function openHello(message: readonly unknown[], role: 'router' | 'picker'): Fields {
  const fields = new Fields(message);
  if (message[0] !== MAGIC) throw new ProtocolFault('the other side speaks something else than the picker protocol');
  fields.text(MAGIC.length);
  const version = fields.count();
  if (version !== PROTOCOL_VERSION) {
    throw new ProtocolFault(
      `the other side speaks version ${version} of the picker protocol, this one ${PROTOCOL_VERSION}; ` +
        'run the same release of routers and pickers',
    );
  }
  if (fields.text(MAX_NAME_LENGTH) !== role) throw new ProtocolFault(`the other side is no ${role}`);
  return fields;
}
