/** A set of CustomResourceDefinitions that others publish, and where in their Go module it is. */
export interface VendoredBundle {
  /** Name of its folder. */
  readonly name: 'envoy-gateway' | 'gateway-api' | 'inference-extension';
  readonly module: string;
  readonly folder: string;
  /** Files of `folder`. */
  readonly files: RegExp;
  readonly copyright: string;
  /** Absent: the version that the tools of the Kubernetes test suite are built with, so that tests run what is shipped. */
  readonly version?: string;
  /** Kinds that the bundle's newest release no longer has, as last published. */
  readonly retired?: true;
}

export const VENDORED_BUNDLES: readonly VendoredBundle[] = [
  {
    // The standard channel has every kind that Envoy Gateway watches. The experimental one cannot be taken back to
    // standard, and a cluster with the standard one may refuse it.
    name: 'gateway-api',
    module: 'sigs.k8s.io/gateway-api',
    folder: 'config/crd/standard',
    // Not the admission policy beside them: it judges what others install, and would be one object with several owners.
    files: /^gateway\.networking\.k8s\.io_(?!vap_).+\.yaml$/,
    copyright: 'The Kubernetes Authors',
  },
  {
    name: 'envoy-gateway',
    module: 'github.com/envoyproxy/gateway',
    folder: 'charts/gateway-helm/charts/crds/crds/generated',
    files: /\.yaml$/,
    copyright: 'Envoy Gateway Authors',
  },
  {
    name: 'inference-extension',
    module: 'sigs.k8s.io/gateway-api-inference-extension',
    folder: 'config/crd/bases',
    files: /_inferencepools\.yaml$/,
    copyright: 'The Kubernetes Authors',
    // The first in which a pool need not name a picker.
    version: 'v1.6.0',
  },
  {
    name: 'inference-extension',
    module: 'sigs.k8s.io/gateway-api-inference-extension',
    folder: 'config/crd/bases',
    files: /_(inferenceobjectives|inferencemodelrewrites)\.yaml$/,
    copyright: 'The Kubernetes Authors',
    // The last that has them.
    version: 'v1.5.0',
    retired: true,
  },
];
