import { type ApiAccess, ApiRefusal, type Method, type RequestOptions, request } from './request';

/** The API server, by path. Everything rejects with an ApiRefusal. */
export interface Client {
  get<T>(path: string): Promise<T>;
  /** Undefined where there is none. */
  find<T>(path: string): Promise<T | undefined>;
  create<T>(path: string, body: unknown): Promise<T>;
  replace<T>(path: string, body: unknown): Promise<T>;
  /** A JSON merge patch. */
  merge<T>(path: string, body: unknown): Promise<T>;
  /** A strategic merge patch: lists are merged by their key. Not for custom resources. */
  patch<T>(path: string, body: unknown): Promise<T>;
  /** Resolves also where there is none. */
  delete(path: string, options?: unknown): Promise<void>;
}

export function createClient(access: ApiAccess): Client {
  const call = (method: Method, path: string, options?: RequestOptions) => request(access, method, path, options);
  const unlessGone = (error: unknown) => {
    if (error instanceof ApiRefusal && error.code === 404) return undefined;
    throw error;
  };
  return {
    get: <T>(path: string) => call('GET', path) as Promise<T>,
    find: <T>(path: string) => call('GET', path).catch(unlessGone) as Promise<T | undefined>,
    create: <T>(path: string, body: unknown) => call('POST', path, { body }) as Promise<T>,
    replace: <T>(path: string, body: unknown) => call('PUT', path, { body }) as Promise<T>,
    merge: <T>(path: string, body: unknown) =>
      call('PATCH', path, { body, contentType: 'application/merge-patch+json' }) as Promise<T>,
    patch: <T>(path: string, body: unknown) =>
      call('PATCH', path, { body, contentType: 'application/strategic-merge-patch+json' }) as Promise<T>,
    async delete(path, options) {
      await call('DELETE', path, options === undefined ? {} : { body: options }).catch(unlessGone);
    },
  };
}
