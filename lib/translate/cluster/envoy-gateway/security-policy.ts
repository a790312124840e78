import { OBJECTIVE_HEADER, TENANT_HEADER } from '../../envoy/control-headers';
import { type Context, target } from '../context';
import type { KubernetesObject } from '../kubernetes-object';

/** Who may send requests. None where the config asks for no tokens. */
export function securityPolicies({ config, installation, namespace, names, make }: Context): KubernetesObject[] {
  const jwt = config.spec.auth?.jwt;
  if (jwt === undefined) return [];
  const { name, issuer, remoteJWKS, audiences = [], requiredClaims = [] } = jwt.provider;
  const claimToHeaders = [
    { header: OBJECTIVE_HEADER, claim: jwt.claims?.objective },
    { header: TENANT_HEADER, claim: jwt.claims?.tenant },
  ].filter(({ claim }) => claim !== undefined);
  return [
    make(
      'gateway.envoyproxy.io/v1alpha1',
      'SecurityPolicy',
      { name: names.gateway, namespace: installation.systemNamespace },
      {
        spec: {
          targetRefs: [target('Gateway', names.gateway)],
          jwt: {
            providers: [
              {
                name,
                issuer,
                ...(audiences.length > 0 && { audiences }),
                remoteJWKS: { uri: remoteJWKS.uri },
                ...(claimToHeaders.length > 0 && { claimToHeaders }),
              },
            ],
          },
          ...(requiredClaims.length > 0 && {
            authorization: {
              defaultAction: 'Deny',
              rules: [
                {
                  name: 'required-claims',
                  action: 'Allow',
                  principal: { jwt: { provider: name, claims: requiredClaims } },
                },
              ],
            },
          }),
        },
      },
    ),
    // A policy of the route, although empty, takes the place of the Gateway's: health checks need no token.
    make(
      'gateway.envoyproxy.io/v1alpha1',
      'SecurityPolicy',
      { name: names.health, namespace },
      { spec: { targetRefs: [target('HTTPRoute', names.health)] } },
    ),
  ];
}
