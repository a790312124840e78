import { type Backoff, createBackoff } from '../../kubernetes/backoff';
import type { Clock } from '../../kubernetes/clock';
import { type CertificateStore, type ImportedMaterial, StoreFault, type Tags } from './certificate-store';

export interface ImportOptions {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** A first wait, and the longest. Milliseconds. */
const RETRY_MS = { min: 250, max: 8_000 };

/** About 20 s in all; who asked tries again much later. */
const MOST_TRIES = 6;

/**
 * Imports a certificate under one name, however often: `arn` where it is known, else that which carries the tags, else a new
 * one. A name that is gone makes place for a new one. What is not available for now is tried again for a while. Rejects
 * with a StoreFault.
 */
export async function importCertificate(
  store: CertificateStore,
  material: ImportedMaterial,
  { arn, tags }: { readonly arn: string | undefined; readonly tags: Tags },
  options: ImportOptions,
): Promise<string> {
  const { signal } = options;
  const known = arn ?? (await unlessDenied(findImportedCertificate(store, tags, options)));
  if (known !== undefined) {
    try {
      return await persistently(() => store.import(material, { arn: known }, signal), options);
    } catch (error) {
      if (!(error instanceof StoreFault) || error.reason !== 'NotFound') throw error;
    }
  }
  return persistently(() => store.import(material, { tags }, signal), options);
}

/** Resolves with the name of the certificate that has these tags, if any. Rejects with a StoreFault. */
export async function findImportedCertificate(
  store: CertificateStore,
  tags: Tags,
  options: ImportOptions,
): Promise<string | undefined> {
  return await persistently(() => store.find(tags, options.signal), options);
}

/** Who may not look finds nothing. */
async function unlessDenied(found: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof StoreFault && error.reason === 'Denied') return undefined;
    throw error;
  }
}

/** Rejects with a StoreFault; `InUse` until the load balancer that shows it is gone, which can take minutes. */
export async function deleteImportedCertificate(
  store: CertificateStore,
  arn: string,
  options: ImportOptions,
): Promise<void> {
  await persistently(() => store.delete(arn, options.signal), options);
}

async function persistently<T>(attempt: () => Promise<T>, options: ImportOptions): Promise<T> {
  const { clock, random, signal } = options;
  const backoff: Backoff = createBackoff(RETRY_MS.min, RETRY_MS.max, random);
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const passes = error instanceof StoreFault && error.reason === 'Unavailable';
      if (!passes || tries === MOST_TRIES) throw error;
    }
    await clock.sleep(backoff.next(), signal);
  }
}
