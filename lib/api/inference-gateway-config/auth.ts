import { z } from 'zod';

/** Envoy Gateway takes no longer ones. */
const httpsUrlSchema = z
  .string()
  .max(253)
  .regex(/^https:\/\/[^\s/?#]+[^\s]*$/)
  .meta({ expects: 'a URL beginning with https://' });

const requiredClaimSchema = z
  .strictObject({
    name: z.string().min(1).max(253).meta({ description: 'Name of the claim.' }),
    valueType: z
      .enum(['String', 'StringArray'])
      .default('String')
      .meta({ description: 'Whether the claim is one string or a list of strings.', typeName: 'ClaimValueType' }),
    values: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(128)
      .meta({ description: 'Values of which the claim must have one.' }),
  })
  .meta({ description: 'A claim that a token must carry.', typeName: 'RequiredClaim' });

const remoteJwksSchema = z
  .strictObject({ uri: httpsUrlSchema.meta({ description: 'HTTPS address of the key set that verifies tokens.' }) })
  .meta({ typeName: 'RemoteJwks' });

const jwtProviderSchema = z
  .strictObject({
    name: z.string().min(1).max(253).meta({ description: 'Name of the provider.' }),
    issuer: httpsUrlSchema.meta({ description: 'OIDC issuer; the `iss` claim of a token must equal it.' }),
    remoteJWKS: remoteJwksSchema.meta({ description: 'Where the signing keys are published.' }),
    audiences: z
      .array(z.string().min(1).max(1024))
      .max(8)
      .optional()
      .meta({ description: 'Accepted `aud` values. At least one of `audiences` and `requiredClaims` is needed.' }),
    requiredClaims: z
      .array(requiredClaimSchema)
      .max(16)
      .optional()
      .meta({ description: 'Claims that a token must carry, all of them; a token without them is denied.' }),
  })
  .meta({ typeName: 'JwtProvider' });

const claimNameSchema = z.string().min(1).max(253);

const identityClaimsSchema = z
  .strictObject({
    objective: claimNameSchema.optional().meta({
      description:
        'Claim that names the InferenceObjective of a request: a string; a nested one by its path, as `gateway.objective`. Absent: every request has priority 0.',
      extension: true,
    }),
    tenant: claimNameSchema.optional().meta({
      description:
        'Claim that names the tenant of a request: a string; a nested one by its path. Absent: all requests are of one tenant.',
      extension: true,
    }),
  })
  .meta({ typeName: 'IdentityClaims' });

const jwtSchema = z
  .strictObject({
    provider: jwtProviderSchema.meta({ description: 'Who issues the tokens.' }),
    claims: identityClaimsSchema.optional().meta({
      description:
        "Claims that say what a request is; at least one. The headers `x-gateway-inference-objective` and `x-gateway-inference-fairness-id`, and their `x-llm-d-` forms, are then ignored where a client sends them. Absent: they are the client's, and an objective may only lower the priority.",
      extension: true,
    }),
  })
  .meta({ typeName: 'JwtSpec' });

/** `spec.auth`. */
export const authSchema = z
  .strictObject({
    jwt: jwtSchema.optional().meta({
      description: 'JSON Web Tokens, sent as bearer tokens. Absent: requests are not authenticated.',
    }),
  })
  .meta({ typeName: 'AuthSpec' });
