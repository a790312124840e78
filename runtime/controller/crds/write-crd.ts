import { CRD_RELEASE_ANNOTATION } from '../../../lib/api/crd/inference-gateway-config-crd';
import type { ObjectMetadata } from '../../../lib/translate/cluster/kubernetes-object';
import type { ApiClient } from '../../kubernetes/api-client';
import { type ApiError, isApiError } from '../../kubernetes/api-error';
import { crdContent } from './crd-content';
import type { CrdFault } from './crd-fault';
import { CONTENT_ANNOTATION } from './crd-marks';
import { CUSTOM_RESOURCE_DEFINITIONS, type CustomResourceDefinition } from './custom-resource-definition';
import type { ShippedCrd } from './shipped-crd';

/**
 * Writes a definition where `present` is still what the cluster has (undefined: nothing). Resolves with why it could not.
 * Rejects with an ApiError where the API server gave no judgement.
 */
export async function writeCrd(
  api: ApiClient,
  shipped: ShippedCrd,
  present: ObjectMetadata | undefined,
  { fieldManager, signal }: { readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<CrdFault | undefined> {
  const wanted = marked(shipped);
  try {
    if (present === undefined) {
      await api.create(CUSTOM_RESOURCE_DEFINITIONS, wanted, signal);
      return undefined;
    }
    const { resourceVersion } = present;
    const metadata = { ...wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
    await api.apply(CUSTOM_RESOURCE_DEFINITIONS, { ...wanted, metadata }, { fieldManager, force: true, signal });
    return undefined;
  } catch (error) {
    if (isApiError(error, 400, 403, 404, 409, 422)) return faultOf(shipped, error);
    throw error;
  }
}

/** With what tells a later run which release it is, and whether somebody has changed it since. */
function marked({ definition, release }: ShippedCrd): CustomResourceDefinition {
  const annotations = {
    ...definition.metadata.annotations,
    [CRD_RELEASE_ANNOTATION]: release,
    [CONTENT_ANNOTATION]: crdContent(definition),
  };
  return { ...definition, metadata: { ...definition.metadata, annotations } };
}

function faultOf({ definition, release }: ShippedCrd, { code, message }: ApiError): CrdFault {
  const { name } = definition.metadata;
  const byHand = `apply ${name} of ${release} yourself (kubectl apply --server-side -f FILE)`;
  switch (code) {
    case 404:
    case 409:
      return { reason: 'Contended', message: `others keep changing ${name}: find out who does` };
    case 403:
      return {
        reason: 'Forbidden',
        message: `the controller may not write ${name} (${message}): allow it to create and patch customresourcedefinitions, or ${byHand}`,
      };
    default:
      return {
        reason: 'Rejected',
        message: `the API server refuses ${name} (${message}): remove what forbids it, or ${byHand}`,
      };
  }
}
