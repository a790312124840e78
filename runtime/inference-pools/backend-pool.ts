import { GATEWAY_LABEL, GROUP, MANAGED_BY_LABEL, MANAGER } from '../../lib/translate/cluster/names';

/**
 * Annotation of an InferencePool: how its picker takes request bodies. The picker protocol asks for `FullDuplexStreamed`,
 * which is the default for pickers of others; those of this gateway take `Buffered`, with which nothing is lost when they fail.
 */
export const BODY_MODE_ANNOTATION = `${GROUP}/picker-body-mode`;

/** What an InferencePool says of how requests reach its pods. Which pods and ports they are is for endpoint discovery. */
export interface BackendPool {
  readonly namespace: string;
  readonly name: string;
  /** Pods are spoken to in HTTP/2 without TLS. */
  readonly http2: boolean;
  /** Absent: requests are balanced without one. */
  readonly picker?: PoolPicker;
}

export interface PoolPicker {
  /** Of the pool's namespace. Absent where the reference is to something else than a Service. */
  readonly service?: ServicePort;
  /** Whether requests go on, balanced by Envoy, while no picker answers. */
  readonly failsOpen: boolean;
  readonly bodies: 'buffered' | 'full-duplex';
  /** It is the product's own. */
  readonly isOurs: boolean;
}

export interface ServicePort {
  readonly name: string;
  readonly port: number;
}

/** As the API server has it: the definition has been checked, and later versions may have more. */
export interface InferencePoolObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly appProtocol?: string;
    readonly endpointPickerRef?: {
      readonly group?: string;
      readonly kind?: string;
      readonly name: string;
      readonly port?: { readonly number: number };
      readonly failureMode?: string;
    };
  };
}

export function backendPool(pool: InferencePoolObject): BackendPool {
  const { metadata, spec } = pool;
  const ref = spec.endpointPickerRef;
  const isService = ref !== undefined && (ref.group ?? '') === '' && (ref.kind ?? 'Service') === 'Service';
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    http2: spec.appProtocol === 'kubernetes.io/h2c',
    ...(ref && {
      picker: {
        ...(isService && ref.port && { service: { name: ref.name, port: ref.port.number } }),
        failsOpen: ref.failureMode === 'FailOpen',
        bodies: bodiesOf(pool),
        isOurs: isOurs(pool),
      },
    }),
  };
}

function bodiesOf(pool: InferencePoolObject): PoolPicker['bodies'] {
  const asked = pool.metadata.annotations?.[BODY_MODE_ANNOTATION];
  if (asked === 'Buffered') return 'buffered';
  if (asked === 'FullDuplexStreamed') return 'full-duplex';
  return isOurs(pool) ? 'buffered' : 'full-duplex';
}

/** Pools of the controller have pickers of its own. */
function isOurs({ metadata: { labels = {} } }: InferencePoolObject): boolean {
  return labels[MANAGED_BY_LABEL] === MANAGER && labels[GATEWAY_LABEL] !== undefined;
}
