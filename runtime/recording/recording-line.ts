import { z } from 'zod';
import { weightsSchema } from '../../lib/api/inference-gateway-config/scorer-weights';
import { explanationSchema, podNumber as pod } from './recorded-explanation';

/*
 * A recording is lines of JSON. A router writes one for every decision as it is made and one for the request's end, so a
 * file that was cut short holds every arrival up to its last whole line. It holds no text of a prompt, no name of an
 * adapter and no address: sizes, sealed hashes, and numbers in order of appearance. Times are seconds since the header.
 * A reader ignores members that it does not know.
 */

const seconds = z.number().min(0);
const whole = z.int().min(0);

/** The first line. A router that starts again with the same file adds another, from which all begins anew. */
const headerLine = z.object({
  recording: z.literal(1, { error: 'this version reads recordings of version 1 only' }),
  /** `namespace/name` of the InferenceGatewayConfig. */
  gateway: z.string(),
  created: z.iso.datetime(),
});

/** `spec.overload.maxQueueTime` by default, seconds. */
export const DEFAULT_MAX_QUEUE_SECONDS = 30;

/** The schedulers in force from here on. */
const fleetLine = z.object({
  fleet: z.array(
    z.object({
      scheduler: z.string(),
      pods: whole,
      weights: weightsSchema,
      /** `spec.overload.maxQueueTime`; the first recordings do not tell. */
      maxQueueTime: seconds.default(DEFAULT_MAX_QUEUE_SECONDS),
    }),
  ),
  at: seconds,
});

/** A decision. */
const pickLine = z.object({
  /** Its number, from 1. */
  pick: whole,
  at: seconds,
  /** `namespace/name`. */
  scheduler: z.string(),
  promptBytes: whole,
  maxOutputTokens: whole.optional(),
  /** `a1`, `a2`, …: the LoRA adapter, by the first time it was named. */
  adapter: z
    .string()
    .regex(/^a\d+$/)
    .optional(),
  /** Sealed hashes of the prompt's blocks, 4 bytes each, in base64. Absent: a prompt without a whole block. */
  prefix: z.base64().optional(),
  outcome: z.enum([
    'picked',
    'saturated',
    'queue-full',
    'expired',
    'no-endpoints',
    'shutting-down',
    'cancelled',
    'no-answer',
  ]),
  /** Where it was picked. */
  pod: pod.optional(),
  /** Blocks of the prefix that the picker held to be cached there. */
  matched: whole.optional(),
  /** From the request to the decision, where that took time: it was held. */
  waited: seconds.optional(),
  /** Of a sample of the decisions, and of those whose client asked. */
  explanation: explanationSchema.optional(),
});

/** The end of a request that was picked. */
const endLine = z.object({
  /** The number of its decision. */
  end: whole,
  at: seconds,
  /** From the request to the first token; only of sampled streams. */
  firstToken: seconds.optional(),
  /** From the decision to the first token, as the picker expected it. */
  predicted: seconds.optional(),
  /** HTTP status; absent where no response came. */
  status: whole.optional(),
  /** The pod that served, where it is not the one that was picked. */
  pod: pod.optional(),
});

/** So many lines before this one were not written, because the disk was too slow. */
const droppedLine = z.object({ dropped: whole, at: seconds });

/** The last line of a router that ended in order, or whose file is as large as it may be. */
const stoppedLine = z.object({ stopped: z.enum(['closed', 'limit']), at: seconds });

type HeaderLine = z.output<typeof headerLine>;
export type FleetLine = z.output<typeof fleetLine>;
export type PickLine = z.output<typeof pickLine>;
export type EndLine = z.output<typeof endLine>;
export type RecordingLine =
  | HeaderLine
  | FleetLine
  | PickLine
  | EndLine
  | z.output<typeof droppedLine | typeof stoppedLine>;

export function encodeLine(line: RecordingLine): string {
  return `${JSON.stringify(line)}\n`;
}

const SCHEMAS: Readonly<Record<string, z.ZodType<RecordingLine>>> = {
  pick: pickLine,
  end: endLine,
  fleet: fleetLine,
  dropped: droppedLine,
  stopped: stoppedLine,
  recording: headerLine,
};

/** Throws with what is wrong, without the line's number. */
export function decodeLine(text: string): RecordingLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const kind =
    typeof value === 'object' && value !== null
      ? Object.keys(value).find((key) => Object.hasOwn(SCHEMAS, key))
      : undefined;
  if (kind === undefined) throw new Error('is no line of a recording');
  const result = SCHEMAS[kind]!.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`${issue?.path.join('.') ?? kind}: ${issue?.message ?? 'is not valid'}`);
}
