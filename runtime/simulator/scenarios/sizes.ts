import { z } from 'zod';

const plainSizes = [
  z.strictObject({ kind: z.literal('constant'), tokens: z.number().int().min(1) }),
  /** `mean` and coefficient of variation before sizes are cut at `max`. */
  z.strictObject({
    kind: z.literal('lognormal'),
    mean: z.number().min(1),
    cv: z.number().positive(),
    max: z.number().int().min(1).exactOptional(),
  }),
] as const;

/** How many tokens, request by request. */
export const sizesSchema = z.discriminatedUnion('kind', [
  ...plainSizes,
  /** Each request is of one of the parts, in proportion to their weights. */
  z.strictObject({
    kind: z.literal('mixture'),
    parts: z
      .array(z.strictObject({ weight: z.number().positive(), sizes: z.discriminatedUnion('kind', plainSizes) }))
      .min(2),
  }),
]);

export type Sizes = z.output<typeof sizesSchema>;
