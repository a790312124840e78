import { Client, request } from 'undici';

/** The few things that the supervisor asks of Envoy's admin interface, on its Unix socket. */
export interface EnvoyAdmin {
  /** Workers run and the first configuration is complete. */
  live(): Promise<boolean>;
  /** Port of the named listener, for one that was asked for on port 0. */
  listenerPort(name: string): Promise<number | undefined>;
  /**
   * Values of the text statistics (versions taken over) by name, how many updates were refused so far, and how many
   * listeners were taken over but do not serve yet.
   */
  updates(): Promise<EnvoyUpdates>;
  close(): Promise<void>;
}

export interface EnvoyUpdates {
  readonly texts: ReadonlyMap<string, string>;
  readonly rejected: number;
  readonly warming: number;
}

export function createEnvoyAdmin(socketPath: string): EnvoyAdmin {
  const client = new Client('http://localhost', { socketPath, bodyTimeout: 5_000, headersTimeout: 5_000 });
  const get = async (path: string) => {
    const response = await request(`http://localhost${path}`, { dispatcher: client });
    return { status: response.statusCode, text: await response.body.text() };
  };
  return {
    async live() {
      try {
        return (await get('/ready')).text.startsWith('LIVE');
      } catch {
        return false;
      }
    },
    async listenerPort(name) {
      const { text } = await get('/listeners?format=json');
      const listeners = JSON.parse(text) as ListenersPage;
      const found = listeners.listener_statuses?.find((listener) => listener.name === name);
      return found?.local_address?.socket_address?.port_value;
    },
    async updates() {
      const { text } = await get('/stats?filter=(version_text|update_rejected|total_listeners_warming)$');
      const texts = new Map<string, string>();
      let rejected = 0;
      let warming = 0;
      for (const line of text.split('\n')) {
        const at = line.lastIndexOf(': ');
        if (at < 0) continue;
        const name = line.slice(0, at);
        const value = line.slice(at + 2);
        if (name.endsWith('version_text')) texts.set(name, value.replaceAll('"', ''));
        else if (name.endsWith('warming')) warming += Number(value);
        else rejected += Number(value);
      }
      return { texts, rejected, warming };
    },
    close: () => client.close(),
  };
}

interface ListenersPage {
  readonly listener_statuses?: ReadonlyArray<{
    readonly name: string;
    readonly local_address?: { readonly socket_address?: { readonly port_value?: number } };
  }>;
}
