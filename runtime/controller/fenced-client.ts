import type { ApiClient } from '../kubernetes/api-client';

/** A process that leads no more tried to write. */
export class NotLeading extends Error {
  override readonly name = 'NotLeading';

  constructor() {
    super('this process leads no more: it writes nothing');
  }
}

/**
 * The same API, but each write first asks whether this process still leads: one that stood still for too long finds
 * out before it writes, not after.
 */
export function fencedClient(client: ApiClient, isLeader: () => boolean): ApiClient {
  const fence = () => {
    if (!isLeader()) throw new NotLeading();
  };
  return {
    get: (...request) => client.get(...request),
    list: (...request) => client.list(...request),
    watch: (...request) => client.watch(...request),
    async create(...request) {
      fence();
      return await client.create(...request);
    },
    async replace(...request) {
      fence();
      return await client.replace(...request);
    },
    async apply(...request) {
      fence();
      return await client.apply(...request);
    },
    async delete(...request) {
      fence();
      await client.delete(...request);
    },
  };
}
