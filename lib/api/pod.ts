import { z } from 'zod';
import type { DeepReadonly } from './schema/deep-readonly';
import { looseObjectMetaSchema } from './schema/object-meta';

/** Annotation of ours: the TCP port at which the pod publishes its KV cache events over ZMQ. */
export const KV_EVENTS_PORT_ANNOTATION = 'kv-events.inference-gateway/port';

/** Annotation of ours: the TCP port at which the pod answers requests for KV cache events that were missed. */
export const KV_REPLAY_PORT_ANNOTATION = 'kv-events.inference-gateway/replay-port';

/** Annotation of ours: the TCP port at which the pod serves its metrics page, where that is not the usual one. */
export const METRICS_PORT_ANNOTATION = 'metrics.inference-gateway/port';

const conditionSchema = z.looseObject({ type: z.string(), status: z.string() });

/** What we read of a core/v1 Pod. The rest is passed over. */
export const podSchema = z.looseObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Pod'),
  metadata: looseObjectMetaSchema,
  status: z
    .looseObject({
      podIP: z.union([z.ipv4(), z.ipv6()]).optional().meta({ expects: 'an IPv4 or IPv6 address' }),
      phase: z.string().optional(),
      conditions: z.array(conditionSchema).optional(),
    })
    .optional(),
});

export type Pod = DeepReadonly<z.output<typeof podSchema>>;
