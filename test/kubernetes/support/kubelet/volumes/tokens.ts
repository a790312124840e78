import type { AuthenticationV1TokenRequest, V1Pod } from '@kubernetes/client-node';
import type { Client } from '../../api/client';

/** The tokens of a pod's service account; asked for again when four fifths of their time are over. */
export interface Tokens {
  token(audience: string | undefined, seconds: number): Promise<string>;
}

export function tokensOf(client: Client, pod: V1Pod, now: () => number): Tokens {
  const { name, namespace, uid } = pod.metadata!;
  const account = pod.spec?.serviceAccountName ?? 'default';
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const held = new Map<string, { token: string; renewAt: number }>();

  return {
    async token(audience, seconds) {
      const key = `${audience ?? ''} ${seconds}`;
      const old = held.get(key);
      if (old !== undefined && now() < old.renewAt) return old.token;
      try {
        const { status } = await client.create<AuthenticationV1TokenRequest>(path, {
          spec: {
            ...(audience === undefined ? {} : { audiences: [audience] }),
            expirationSeconds: seconds,
            boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
          },
        });
        const token = status!.token!;
        held.set(key, { token, renewAt: now() + seconds * 800 });
        return token;
      } catch (error) {
        // One that is still valid does while the API server is away.
        if (old === undefined) throw error;
        return old.token;
      }
    },
  };
}
