import { request } from 'undici';
import type { Echo } from './echo-server';

export interface PoolQuestion {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request to pods that echo, behind pickers that say whom they were told of. */
export async function askPool(
  url: string,
  { headers = {}, body = '{"model":"m","prompt":"hello"}' }: PoolQuestion = {},
) {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    /** A picker has seen the response. */
    isPicked: answer.headers['x-conformance-test-served-endpoint'] !== undefined,
    text,
    /** What the pod says of the request; throws where no pod has answered. */
    echo: () => JSON.parse(text) as Echo,
  };
}
