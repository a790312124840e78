import { connect } from 'node:http2';

const SERVING = 1;

/** Asks grpc.health.v1.Health of a service; why it does not serve, or undefined. */
export function grpcHealth(
  host: string,
  port: number,
  service: string,
  timeoutMs: number,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${host}:${port}`);
    const timer = setTimeout(() => session.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    session.once('error', reject);
    session.once('close', () => clearTimeout(timer));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('error', reject);
    stream.once('end', () => {
      // Five bytes of frame, then field 1 as a varint; the default, 0, is left out.
      const answer = Buffer.concat(chunks);
      const status = answer[5] === 0x08 ? answer[6] : 0;
      resolve(status === SERVING ? undefined : `service "${service}" is not serving (status ${status})`);
      session.close();
    });
    stream.end(healthRequest(service));
  });
}

/** The length-prefixed message { 1: service }; names are shorter than 128 bytes. */
function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}
