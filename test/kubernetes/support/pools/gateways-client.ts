import type { TLSSocket } from 'node:tls';
import { Agent, buildConnector, request } from 'undici';
import type { Echo } from './echo-server';
import type { Told } from './gateways-picker';

export type HttpVersion = '1.1' | '2';

export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  /** Of HTTP, the newest that is taken; default 1.1. */
  readonly version?: HttpVersion;
}

export interface Answered {
  readonly status: number;
  /** That the Gateway has agreed to. */
  readonly version: HttpVersion;
  /** Where the picker was told that the request has been served; undefined: no picker has seen the response. */
  readonly served: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What the pod says of the request; throws where no pod has answered. */
  echo(): Echo;
}

/** Asks over a connection of its own. `ca`: whom it trusts, PEM. */
export async function ask(url: string, ca: string, { headers = {}, version = '1.1' }: Asked = {}): Promise<Answered> {
  const allowH2 = version === '2';
  const connect = buildConnector({ ca, allowH2 });
  let agreed: HttpVersion = '1.1';
  const dispatcher = new Agent({
    allowH2,
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if ((socket as TLSSocket | null)?.alpnProtocol === 'h2') agreed = '2';
        if (error) callback(error, null);
        else callback(null, socket!);
      }),
  });
  const answer = await request(url, {
    ...{ dispatcher, method: 'POST', body: '{"model":"m"}' },
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await answer.body.text();
  await dispatcher.close();
  const served = answer.headers['x-conformance-test-served-endpoint'];
  return {
    status: answer.statusCode,
    version: agreed,
    served: typeof served === 'string' ? served : undefined,
    headers: answer.headers,
    echo: () => JSON.parse(text) as Echo,
  };
}

/** Headers by which the stand-in of the conformance suite is told where a request goes. */
export const select = (endpoint: string) => ({ 'test-epp-endpoint-selection': endpoint });

/** Headers by which the picker of a told pool is told what it does. */
export const tell = (told: Told) => ({ 'test-picker': JSON.stringify(told) });
