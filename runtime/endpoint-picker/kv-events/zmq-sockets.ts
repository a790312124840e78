import type { Context, Dealer, Subscriber } from 'zeromq';

/** A message of more bytes breaks the connection. The blocks of 128k tokens, stored at once, need about 450 KB. */
const MAX_MESSAGE_BYTES = 512 * 1024;

/** Messages that wait in the socket; what comes beyond waits in the network and then, in the pod, is dropped: a gap. */
const MAX_WAITING_EVENTS = 32;

/** The pod drops answers that find no place, and does not tell. */
const MAX_WAITING_REPLAYS = 256;

/** A subscriber and a replay for each of some thousand pods. */
const MAX_SOCKETS = 16_384;

/** Between attempts to reach a pod that does not listen, milliseconds. */
const CONNECT_AGAIN_MS = 500;
const CONNECT_AGAIN_MAX_MS = 5_000;

const HEARTBEAT_MS = 5_000;

/** No message of a replay for so long: the rest is lost. The publisher looks for requests every 100 ms. Milliseconds. */
const REPLAY_SILENCE_MS = 1_000;

const NOT_LOADED =
  'the package zeromq cannot be loaded: install it where the gateway runs, or remove the KV event annotations of the pods';

/** Opens sockets to pods. The native library is loaded with the first; where it cannot be, all of them reject. */
export interface ZmqSockets {
  /** Not yet connected, so that no event of the connection is missed. */
  subscriber(): Promise<Subscriber>;
  /** `endpoint`: `tcp://ip:port`. Its `receive` rejects when no message has come for a second. */
  replayClient(endpoint: string): Promise<Dealer>;
}

export function createZmqSockets(): ZmqSockets {
  let loading: Promise<{ zmq: typeof import('zeromq'); context: Context }> | undefined;

  async function load(): Promise<{ zmq: typeof import('zeromq'); context: Context }> {
    const zmq = await import('zeromq').catch((cause: unknown) => {
      throw new Error(NOT_LOADED, { cause });
    });
    return { zmq, context: new zmq.Context({ maxSockets: MAX_SOCKETS }) };
  }

  async function open() {
    loading ??= load();
    const { zmq, context } = await loading;
    const limits = {
      context,
      linger: 0,
      ipv6: true,
      maxMessageSize: MAX_MESSAGE_BYTES,
      reconnectInterval: CONNECT_AGAIN_MS,
      reconnectMaxInterval: CONNECT_AGAIN_MAX_MS,
      heartbeatInterval: HEARTBEAT_MS,
      heartbeatTimeout: HEARTBEAT_MS,
    };
    return { zmq, limits };
  }

  return {
    async subscriber() {
      const { zmq, limits } = await open();
      return new zmq.Subscriber({ ...limits, receiveHighWaterMark: MAX_WAITING_EVENTS });
    },
    async replayClient(endpoint) {
      const { zmq, limits } = await open();
      const socket = new zmq.Dealer({
        ...limits,
        receiveHighWaterMark: MAX_WAITING_REPLAYS,
        receiveTimeout: REPLAY_SILENCE_MS,
        sendTimeout: REPLAY_SILENCE_MS,
      });
      socket.connect(endpoint);
      return socket;
    },
  };
}
