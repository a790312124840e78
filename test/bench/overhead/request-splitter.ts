const HEAD_LIMIT = 64 * 1024;

/**
 * Finds the requests in the bytes of one HTTP/1.1 connection and calls back after the last byte of each; bodies are
 * skipped. Throws on a request that it cannot delimit (chunked, or a head above 64 KiB).
 */
export function createRequestSplitter(onRequest: (method: string, path: string) => void): (chunk: Buffer) => void {
  let head = '';
  let method = '';
  let path = '';
  let bodyLeft = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (bodyLeft === 0) {
        const before = head.length;
        head += chunk.toString('latin1', at, at + HEAD_LIMIT);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) {
          if (head.length >= HEAD_LIMIT) throw new Error('request head too large');
          return;
        }
        at += end + 4 - before;
        const lines = head.slice(0, end + 2);
        head = '';
        [method = '', path = ''] = lines.slice(0, lines.indexOf('\r\n')).split(' ');
        if (/\r\ntransfer-encoding:/i.test(lines)) throw new Error('chunked request');
        bodyLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(lines)?.[1] ?? 0);
      }
      const taken = Math.min(bodyLeft, chunk.length - at);
      bodyLeft -= taken;
      at += taken;
      if (bodyLeft === 0) onRequest(method, path);
    }
  };
}
