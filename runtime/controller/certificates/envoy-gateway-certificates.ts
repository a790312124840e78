import { randomBytes } from 'node:crypto';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { Problem } from '../../../lib/translate/cluster/types';
import { certificateFacts } from './certificate-facts';
import { cookieKeySecret, type EnvoyGatewayPlace, envoyGatewayTrust } from './envoy-gateway-trust';
import { heldLeaf } from './leaf-secret';
import { reconcileTrust, type TrustOptions, type TrustReport } from './reconcile-trust';
import { isOurs, readSecret, type SecretsApi, writeSecret } from './trust-secrets';

/** Those who run the certificates of others are told so long before they end. Milliseconds. */
const WARN_MS = 30 * 86_400_000;

/**
 * Makes and renews what Envoy Gateway's own generation of certificates would make once, in its place. Where some of it is
 * somebody else's, nothing is made: one authority must have issued all. Rejects with an ApiError, as `reconcileTrust`.
 */
export async function reconcileEnvoyGatewayCertificates(
  api: SecretsApi,
  place: EnvoyGatewayPlace,
  options: TrustOptions,
): Promise<TrustReport> {
  const domain = envoyGatewayTrust(place);
  const present = await Promise.all(
    domain.leaves.map(async ({ secret }) => ({ wanted: secret, found: await readSecret(api, secret, options.signal) })),
  );
  if (present.some(({ wanted, found }) => found !== undefined && !isOurs(wanted, found))) {
    return { problems: present.flatMap((one) => problemsOfOthers(one, options.now)), dueAt: options.now + WARN_MS };
  }
  const cookieKey = cookieKeySecret(place);
  if ((await readSecret(api, cookieKey, options.signal)) === undefined) {
    const data = { 'hmac-secret': randomBytes(32).toString('base64') };
    await writeSecret(api, { ...cookieKey, data }, undefined, options.signal);
  }
  return reconcileTrust(api, domain, options);
}

interface Found {
  readonly wanted: KubernetesObject;
  readonly found: KubernetesObject | undefined;
}

function problemsOfOthers({ wanted, found }: Found, now: number): Problem[] {
  const { namespace, name } = wanted.metadata;
  const all =
    'or delete the Secrets envoy-gateway, envoy and envoy-rate-limit, and the controller makes and renews them';
  if (found === undefined) {
    return [
      {
        condition: 'GatewayProgrammed',
        reason: 'ControlPlaneCertificateMissing',
        message: `Secret ${namespace}/${name} is missing, and others of Envoy Gateway's certificates are not the controller's: run envoy-gateway certgen, ${all}`,
        blocks: false,
      },
    ];
  }
  const end = certificateFacts(heldLeaf(found).certificate)?.notAfter;
  if (end !== undefined && end > now + WARN_MS) return [];
  const when = end === undefined ? 'cannot be read' : `ends on ${new Date(end).toISOString().slice(0, 10)}`;
  return [
    {
      ...((end ?? 0) <= now && { condition: 'GatewayProgrammed' as const }),
      reason: 'ControlPlaneCertificateEnds',
      message: `the certificate in Secret ${namespace}/${name} ${when} and is not the controller's to renew: run envoy-gateway certgen --overwrite, ${all}`,
      blocks: false,
    },
  ];
}
