/** Where Envoy and the processor meet the machine. Everything here is fixed while Envoy runs. */
export interface EnvoyOptions {
  /** Absolute path of the folder that Envoy watches. */
  readonly directory: string;
  /** Clients connect here. */
  readonly listen: TcpAddress;
  /** Envoy's admin interface; a socket file keeps it out of reach of other users. */
  readonly admin: Address;
  /** The ext_proc server. */
  readonly processor: Address;
  /**
   * A request or response that moves no byte for so long ends: 504 where no response has begun. Milliseconds,
   * default 600000.
   */
  readonly streamIdleTimeoutMs?: number;
  /** Envoy's heap. At 80 % of it new requests get 503, at the bound uploads are cut. Bytes, default 4 GiB. */
  readonly maxHeapBytes?: number;
  /** Whether each request is logged, as a JSON line on Envoy's standard error. Default false. */
  readonly accessLog?: boolean;
}

interface TcpAddress {
  /** IP address. */
  readonly host: string;
  readonly port: number;
}

export type Address = TcpAddress | SocketFile;

interface SocketFile {
  /** Absolute path of a Unix socket, at most 107 bytes. */
  readonly pipe: string;
}

/** A duration as proto3 JSON writes it. */
export function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
