/** A certificate with its key and those who issued it. PEM. */
export interface ImportedMaterial {
  readonly certificate: string;
  readonly key: string;
  /** Absent where it has signed itself. */
  readonly chain?: string;
}

export type Tags = Readonly<Record<string, string>>;

export type ImportTarget = { readonly arn: string } | { readonly tags: Tags };

/** Where load balancers find certificates. Everything rejects with a StoreFault, or, at once, with the reason of its signal. */
export interface CertificateStore {
  /** `arn`: replaces the certificate of that name, which keeps its tags. Resolves with the name. */
  import(material: ImportedMaterial, target: ImportTarget, signal: AbortSignal): Promise<string>;
  /** The imported certificate with these tags. Undefined where there is none. */
  find(tags: Tags, signal: AbortSignal): Promise<string | undefined>;
  /** False also where there is no such certificate. */
  hasTags(arn: string, tags: Tags, signal: AbortSignal): Promise<boolean>;
  /** Resolves also where there is none. */
  delete(arn: string, signal: AbortSignal): Promise<void>;
}

/**
 * - `InUse`: a load balancer still shows it.
 * - `NotFound`: it is not there any more.
 * - `Denied`: the role of the controller does not allow it, or there is none.
 * - `Invalid`: the store does not take it.
 * - `Unavailable`: not now.
 * - `Unreachable`: no answer; to wait for another would only take as long.
 */
export type StoreFaultReason = 'InUse' | 'NotFound' | 'Denied' | 'Invalid' | 'Unavailable' | 'Unreachable';

export class StoreFault extends Error {
  override readonly name = 'StoreFault';

  constructor(
    readonly reason: StoreFaultReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
