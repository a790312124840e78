import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards connections at one address to endpoints in turn. Without an endpoint, connections are refused. */
export class Forwarder {
  private server: Server | undefined;
  private targets: readonly { readonly ip: string; readonly port: number }[] = [];
  private turn = 0;
  private readonly open = new Set<Socket>();
  private changing: Promise<void> = Promise.resolve();

  constructor(
    private readonly ip: string,
    private readonly port: number,
  ) {}

  /** From now on; connections that are open stay where they are. */
  setTargets(targets: readonly { readonly ip: string; readonly port: number }[]): void {
    this.targets = targets;
    this.changing = this.changing.then(() => this.listenOrNot());
  }

  async close(): Promise<void> {
    this.setTargets([]);
    await this.changing;
    for (const socket of this.open) socket.destroy();
  }

  private async listenOrNot(): Promise<void> {
    if (this.targets.length > 0 && this.server === undefined) {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.forward(client));
      server.listen({ host: this.ip, port: this.port, backlog: 1024 });
      await once(server, 'listening');
      this.server = server;
    } else if (this.targets.length === 0 && this.server !== undefined) {
      this.server.close();
      this.server = undefined;
    }
  }

  private forward(client: Socket): void {
    const target = this.targets[this.turn++ % this.targets.length];
    if (target === undefined) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: target.ip, port: target.port, allowHalfOpen: true, noDelay: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.open.add(socket);
      socket.pipe(other);
      // A reset of one side is one of the other.
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => this.open.delete(socket));
    }
  }
}
