import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { Problem } from '../../../lib/translate/cluster/types';
import { secretData, secretText } from './authority-secret';
import { trustedAuthorities } from './authority-state';
import { certificateFacts } from './certificate-facts';
import { type AuthorityOptions, currentAuthority } from './current-authority';
import { type HeldLeaf, heldLeaf, issuedLeaf, leafRenewal, leafSecret } from './leaf-secret';
import type { TrustDomain, WantedLeaf } from './trust-domain';
import { isOurs, readSecret, type SecretsApi, writeSecret } from './trust-secrets';

export interface TrustOptions extends AuthorityOptions {
  /** Whether a Secret that somebody else has made may be taken over. Default never. */
  readonly mayAdopt?: (secret: KubernetesObject) => Promise<boolean>;
}

export interface TrustReport {
  readonly problems: readonly Problem[];
  /** When something is to be done next, if no Secret changes. Milliseconds since 1970. */
  readonly dueAt: number;
}

/** Steps that may follow each other at once; more wait for the next call. */
const MOST_ROUNDS = 5;

/**
 * Makes the authority and the certificates of a domain, and renews them so that no two holders ever distrust each other.
 * Never overwrites what is somebody else's. Can be repeated at any time, and takes up where another run ended. Rejects
 * with an ApiError where the API server refuses; code 409: somebody else has written meanwhile.
 */
export async function reconcileTrust(
  api: SecretsApi,
  domain: TrustDomain,
  options: TrustOptions,
): Promise<TrustReport> {
  for (let round = 1; ; round += 1) {
    const { changed, ...report } = await reconcileOnce(api, domain, options);
    if (!changed || round === MOST_ROUNDS) return report;
  }
}

async function reconcileOnce(
  api: SecretsApi,
  domain: TrustDomain,
  options: TrustOptions,
): Promise<TrustReport & { readonly changed: boolean }> {
  const { now, signal } = options;
  const secret = await readSecret(api, domain.authority, signal);
  if (secret !== undefined && !isOurs(domain.authority, secret)) {
    return { changed: false, problems: [foreignAuthority(secret)], dueAt: Number.POSITIVE_INFINITY };
  }
  const { leaves, problems } = await readLeaves(api, domain, options);
  const { state, changed, ...authority } = await currentAuthority(api, domain, secret, leaves, options);

  let { dueAt } = authority;
  let written = changed;
  for (const { wanted, held, present } of leaves) {
    const renewal = leafRenewal(now, held, wanted, state);
    if (!renewal.renew) dueAt = Math.min(dueAt, renewal.dueAt);
    const fits = !renewal.renew && held.trusted === trustedAuthorities(state);
    if (fits) continue;
    const next =
      renewal.renew || held.certificate === undefined || held.key === undefined
        ? await issuedLeaf(wanted, state, domain.lifetimes.leaf, options)
        : leafSecret(wanted, { certificate: held.certificate, key: held.key }, state);
    await writeSecret(api, next, present, signal);
    written = true;
  }
  if (domain.published && (await publish(api, domain.published, trustedAuthorities(state), options))) written = true;
  return { changed: written, problems, dueAt };
}

/** Whether it had to be written. */
async function publish(
  api: SecretsApi,
  wanted: KubernetesObject,
  trusted: string,
  { signal }: TrustOptions,
): Promise<boolean> {
  const present = await readSecret(api, wanted, signal);
  if (present && (!isOurs(wanted, present) || secretText(present, 'tls.crt') === trusted)) return false;
  await writeSecret(api, { ...wanted, data: secretData({ 'tls.crt': trusted }) }, present, signal);
  return true;
}

interface FoundLeaf {
  readonly wanted: WantedLeaf;
  readonly present: KubernetesObject | undefined;
  readonly held: HeldLeaf;
}

async function readLeaves(api: SecretsApi, domain: TrustDomain, { now, mayAdopt, signal }: TrustOptions) {
  const leaves: FoundLeaf[] = [];
  const problems: Problem[] = [];
  for (const wanted of domain.leaves) {
    const present = await readSecret(api, wanted.secret, signal);
    const ours = present === undefined || isOurs(wanted.secret, present) || (await mayAdopt?.(present)) === true;
    if (ours) leaves.push({ wanted, present, held: heldLeaf(present) });
    else if ((certificateFacts(heldLeaf(present).certificate)?.notAfter ?? 0) <= now)
      problems.push(foreignLeaf(present));
  }
  return { leaves, problems };
}

function foreignAuthority({ metadata }: KubernetesObject): Problem {
  return {
    condition: 'Ready',
    reason: 'SecretTaken',
    message: `Secret ${metadata.namespace}/${metadata.name} is not the controller's, which keeps its authority under this name: delete it, and it is made anew`,
    blocks: false,
  };
}

function foreignLeaf({ metadata }: KubernetesObject): Problem {
  return {
    condition: 'Ready',
    reason: 'SecretTaken',
    message: `Secret ${metadata.namespace}/${metadata.name} is not the controller's and holds no certificate that is valid: delete it, and it is made anew, or put one into it`,
    blocks: false,
  };
}
