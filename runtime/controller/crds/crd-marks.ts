import { CRD_RELEASE_ANNOTATION } from '../../../lib/api/crd/inference-gateway-config-crd';
import type { CustomResourceDefinition } from './custom-resource-definition';
import type { CrdBundle } from './shipped-crd';

/** `crdContent` of what the controller applied: while it still fits, CRD_RELEASE_ANNOTATION tells of what is there. */
export const CONTENT_ANNOTATION = 'inference.sagemaker.aws.amazon.com/crd-content';

const CHANNEL_ANNOTATION = 'gateway.networking.k8s.io/channel';
const GENERATOR_ANNOTATION = 'controller-gen.kubebuilder.io/version';

/** Where those who publish a bundle write its release. Envoy Gateway writes none. */
const PUBLISHED_RELEASE: Readonly<Partial<Record<CrdBundle, string>>> = {
  'gateway-api': 'gateway.networking.k8s.io/bundle-version',
  'inference-extension': 'inference.networking.k8s.io/bundle-version',
  'inference-gateway': CRD_RELEASE_ANNOTATION,
};

/** What a definition says of its own origin. */
export interface CrdMarks {
  /** As published. */
  readonly release: string | undefined;
  /** Of Gateway API. */
  readonly channel: string | undefined;
  /** Version of the tool that wrote it. */
  readonly generator: string | undefined;
  readonly applied: { readonly release: string; readonly content: string } | undefined;
}

export function crdMarks({ metadata }: CustomResourceDefinition, bundle: CrdBundle): CrdMarks {
  const annotations = metadata.annotations ?? {};
  const published = PUBLISHED_RELEASE[bundle];
  const [release, content] = [annotations[CRD_RELEASE_ANNOTATION], annotations[CONTENT_ANNOTATION]];
  return {
    release: published === undefined ? undefined : annotations[published],
    channel: bundle === 'gateway-api' ? annotations[CHANNEL_ANNOTATION] : undefined,
    generator: annotations[GENERATOR_ANNOTATION],
    applied: release === undefined || content === undefined ? undefined : { release, content },
  };
}
