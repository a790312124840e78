import { propertyAt } from '../../lib/api/validation/loose';
import { sourceLine } from '../../lib/translate/sourced-value';
import type { SourcedObject } from '../objects/object-source';

/** Fields that protect a gateway on a cluster and do nothing on one machine, and what that means. */
const UNSERVED = [
  { path: ['spec', 'auth', 'jwt'], meaning: 'local mode checks no tokens: whoever reaches the address is let in' },
  {
    path: ['spec', 'auth', 'jwt', 'claims'],
    meaning: 'local mode reads no claims: every request has priority 0, and none has a tenant',
  },
  { path: ['spec', 'tls'], meaning: 'local mode serves HTTP without TLS' },
] as const;

/** A sentence for each such field that is set, so that nobody takes it for being in force. */
export function unservedFields(objects: readonly SourcedObject[]): readonly string[] {
  return objects
    .filter(({ value }) => propertyAt(value, 'kind') === 'InferenceGatewayConfig')
    .flatMap((object) =>
      UNSERVED.filter(({ path }) => (propertyAt(object.value, ...path) ?? null) !== null).map(
        ({ path, meaning }) => `${sourceLine(object, path)} ${path.join('.')}: ${meaning}`,
      ),
    );
}
