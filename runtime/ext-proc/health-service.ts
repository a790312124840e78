import { GRPC_STATUS } from './grpc-status';
import { GrpcTransport } from './grpc-transport';
import type { ServerStream, StreamReceiver } from './http2/server-stream';

/** HealthCheckResponse: status = 1, SERVING = 1 or NOT_SERVING = 2, as a gRPC frame. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const NOT_SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 2]);

interface Watch {
  /** Sends the status, unless it was the last that was sent. */
  tell(isServing: boolean): void;
  end(): void;
}

/**
 * gRPC health checks (grpc.health.v1): `Check`, and `Watch`, which tells the status now and whenever it has changed.
 * Every service name gets the same answer, so that the request's bytes do not matter.
 */
export class HealthService {
  private readonly watches = new Set<Watch>();
  private ended = false;

  /** `isReady`: of this moment, while the server is open. */
  constructor(private readonly isReady: () => boolean) {}

  check(stream: ServerStream): StreamReceiver {
    const transport = new GrpcTransport(stream);
    transport.respond();
    return {
      data() {},
      end: () => {
        transport.write([this.isServing() ? SERVING : NOT_SERVING]);
        transport.finish(GRPC_STATUS.OK, '');
      },
      lost() {},
    };
  }

  watch(stream: ServerStream): StreamReceiver {
    const transport = new GrpcTransport(stream);
    transport.respond();
    let told: boolean | undefined;
    const watch: Watch = {
      tell(isServing) {
        if (isServing === told) return;
        told = isServing;
        transport.write([isServing ? SERVING : NOT_SERVING]);
      },
      end() {
        watch.tell(false);
        transport.finish(GRPC_STATUS.UNAVAILABLE, 'the server ends');
      },
    };
    return {
      data() {},
      end: () => {
        if (this.ended) {
          watch.end();
          return;
        }
        this.watches.add(watch);
        watch.tell(this.isServing());
      },
      lost: () => this.watches.delete(watch),
    };
  }

  /** The status may have changed. */
  changed(): void {
    for (const watch of this.watches) watch.tell(this.isServing());
  }

  /** From now on it is NOT_SERVING. Watches end, so that they do not keep their connections. */
  end(): void {
    this.ended = true;
    for (const watch of this.watches) watch.end();
    this.watches.clear();
  }

  private isServing(): boolean {
    return !this.ended && this.isReady();
  }
}
