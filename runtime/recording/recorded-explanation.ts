import { z } from 'zod';
import type { Explanation } from '../endpoint-picker/scheduling/explanation';

const whole = z.int().min(0);

/** `p1`, `p2`, …: a pod, by the first time it was named in the recording. */
export const podNumber = z.string().regex(/^p\d+$/);

/** An `Explanation` as a recording holds it. Names of scorers, bands and reasons are those of the router that wrote it. */
export const explanationSchema = z.object({
  weights: z.record(z.string(), z.number()),
  /** The pod chosen and its fallbacks in order, then the others by total. */
  candidates: z
    .array(
      z.object({
        pod: podNumber,
        total: z.number(),
        scores: z.record(z.string(), z.number()),
        matched: whole,
        /** Seconds to the first token, as expected. */
        predicted: z.number().min(0).optional(),
      }),
    )
    .min(1),
  moreCandidates: whole.optional(),
  leftOut: z.array(z.object({ pod: podNumber, reason: z.string() })).optional(),
  moreLeftOut: whole.optional(),
  promptBlocks: whole,
  held: z.object({ seconds: z.number().min(0), band: z.string() }).optional(),
});

export type RecordedExplanation = z.output<typeof explanationSchema>;

/** `numberOf`: gives an `ip:port` its number. */
export function recordedExplanation(
  explanation: Explanation,
  numberOf: (address: string) => string,
): RecordedExplanation {
  const { candidates, moreCandidates, leftOut, moreLeftOut, weights, promptBlocks, held } = explanation;
  return {
    weights,
    candidates: candidates.map(({ address, total, scores, matchedBlocks, predictedTtftMs }) => ({
      pod: numberOf(address),
      total,
      scores,
      matched: matchedBlocks,
      ...(predictedTtftMs !== undefined && { predicted: seconds(predictedTtftMs) }),
    })),
    ...(moreCandidates > 0 && { moreCandidates }),
    ...(leftOut.length > 0 && {
      leftOut: leftOut.map(({ address, reason }) => ({ pod: numberOf(address), reason })),
    }),
    ...(moreLeftOut > 0 && { moreLeftOut }),
    promptBlocks,
    ...(held !== undefined && { held: { seconds: seconds(held.ms), band: held.band } }),
  };
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e3) / 1e6;
}
