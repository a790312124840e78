import { isApiError } from './api-error';
import {
  HttpRequests,
  type HttpRequestsOptions,
  parseAnswer,
  readText,
  requestName,
  withTimeout,
} from './http-requests';

export interface ServedResources {
  /** Plural names of what the API server serves of a group's version; every authenticated account may ask. */
  of(group: string, version: string, signal?: AbortSignal): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Asks by discovery, which needs no right to any object. */
export function createServedResources(options: HttpRequestsOptions): ServedResources {
  const requests = new HttpRequests(options);
  return {
    async of(group, version, signal) {
      const request = {
        method: 'GET',
        path: `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`,
      } as const;
      const name = requestName(request);
      try {
        return await withTimeout(TIMEOUT_MS, name, signal, async (scoped) => {
          const text = await readText(await requests.send(request, scoped), name, MAX_BYTES, scoped);
          const { resources } = parseAnswer(text, name) as { resources?: ReadonlyArray<{ readonly name: string }> };
          return new Set((resources ?? []).map((resource) => resource.name));
        });
      } catch (error) {
        if (isApiError(error, 404)) return new Set();
        throw error;
      }
    },
    close: () => requests.close(),
  };
}
