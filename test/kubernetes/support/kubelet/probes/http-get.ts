import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The status of one GET on a connection of its own; certificates are not checked. */
export function httpGet(url: string, headers: Readonly<Record<string, string>>, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { headers: { 'user-agent': 'kube-probe/1.36', ...headers }, agent: false, timeout: timeoutMs };
    const request = url.startsWith('https:')
      ? httpsRequest(url, { ...options, rejectUnauthorized: false })
      : httpRequest(url, options);
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    request.once('response', (response) => {
      response.resume();
      response.once('error', () => {});
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject);
    request.once('close', () => clearTimeout(timer));
    request.end();
  });
}
