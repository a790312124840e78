import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';

/** PEM files, as the flags `--tls-…` or `--serve-tls-…` name them. Each is optional here; which are needed is the side's to say. */
export interface TlsPaths {
  readonly cert?: string;
  readonly key?: string;
  /** Whom to trust. */
  readonly ca?: string;
}

export interface TlsFiles {
  /** What the files hold, as last read. */
  current(): SecureContextOptions;
  close(): void;
}

/** Certificates are renewed long before they end. Milliseconds. */
const READ_EVERY_MS = 10_000;

/** A Secret that is replaced while it is read gives files that do not belong together; they do when read again. */
const READS = 3;
const AGAIN_AFTER_MS = 100;

export interface TlsFilesOptions {
  readonly log: Logger;
  /** How the flags of the files begin, for messages. Default `--tls`. */
  readonly flag?: string;
  readonly onChange?: (tls: SecureContextOptions) => void;
  /** Milliseconds, default 10000. */
  readonly readEveryMs?: number;
}

/**
 * Reads the files now, and again every 10 s. Rejects, naming the file, where one cannot be read, and where they do not
 * belong together. Later faults are logged, and what was read before holds.
 */
export async function followTlsFiles(paths: TlsPaths, options: TlsFilesOptions): Promise<TlsFiles> {
  const { flag = '--tls' } = options;
  let current = await readTls(paths, flag);
  let closed = false;
  let told: string | undefined;
  let timer: NodeJS.Timeout;

  const again = async () => {
    try {
      const next = await readTls(paths, flag);
      told = undefined;
      if (closed || isSame(current, next)) return;
      current = next;
      options.onChange?.(next);
      options.log.info('certificates have changed; new connections use them');
    } catch (error) {
      const { message } = error as Error;
      if (!closed && message !== told) options.log.warn(`certificates kept as they were: ${message}`);
      told = message;
    }
  };
  const schedule = () => {
    timer = setTimeout(() => {
      void again().then(() => {
        if (!closed) schedule();
      });
    }, options.readEveryMs ?? READ_EVERY_MS);
  };
  schedule();
  return {
    current: () => current,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

type Part = 'cert' | 'key' | 'ca';

async function readTls(paths: TlsPaths, flag: string): Promise<SecureContextOptions> {
  for (let reads = 1; ; reads++) {
    const tls = await readFiles(paths, flag);
    try {
      createSecureContext(tls);
      return tls;
    } catch (error) {
      const names = Object.entries(paths).map(([part, path]) => `${flag}-${part} ${path}`);
      if (reads === READS) throw new Error(`${names.join(', ')}: not usable together (${(error as Error).message})`);
      await sleep(AGAIN_AFTER_MS);
    }
  }
}

async function readFiles(paths: TlsPaths, flag: string): Promise<SecureContextOptions> {
  const tls: { [key in Part]?: Buffer } = {};
  for (const part of ['cert', 'key', 'ca'] as const) {
    const path = paths[part];
    if (path === undefined) continue;
    tls[part] = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${flag}-${part} ${path} cannot be read: ${error.code}`);
    });
  }
  return tls;
}

function isSame(a: SecureContextOptions, b: SecureContextOptions): boolean {
  return (['cert', 'key', 'ca'] as const).every((part) => String(a[part]) === String(b[part]));
}
