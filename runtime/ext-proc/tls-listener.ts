import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContextOptions, type TLSSocket } from 'node:tls';

export interface TlsListenerOptions {
  /** Certificate chain and private key; default: connections are plain. With a `ca`, clients must show a certificate of it. */
  readonly tls: SecureContextOptions | undefined;
  /** Of ALPN: a client that offers any must offer one of these. Default: they are not looked at. */
  readonly protocols?: readonly string[];
  /** Called with each connection once it may be read. */
  serve(socket: Socket): void;
  /** Told why a handshake failed. */
  onRefused(reason: string): void;
}

export interface TlsListener {
  readonly server: Server;
  /** For connections from now on. Nothing happens where connections are plain. */
  setTls(tls: SecureContextOptions): void;
}

/** A client that does not speak TLS, or does not go on, is left after so long. Milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** A server that does not listen yet. Throws what is wrong with the certificate or key. */
export function createListener({ tls, protocols, serve, onRefused }: TlsListenerOptions): TlsListener {
  if (tls === undefined) return { server: createServer({ noDelay: true }, serve), setTls() {} };
  const isMutual = tls.ca !== undefined;
  const server = createTlsServer(
    {
      ...tls,
      ...(protocols && { ALPNProtocols: [...protocols] }),
      noDelay: true,
      requestCert: isMutual,
      rejectUnauthorized: isMutual,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    },
    serve,
  );
  server.on('tlsClientError', (error, socket: TLSSocket) => {
    const { authorizationError } = socket;
    onRefused(authorizationError ? `its certificate is refused: ${authorizationError}` : error.message);
  });
  return { server, setTls: (next) => server.setSecureContext(next) };
}
