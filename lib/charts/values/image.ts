import { z } from 'zod';
import type { DeepReadonly } from '../../api/schema/deep-readonly';

const text = z.string();

interface StandardImage {
  readonly registry?: string;
  readonly repository: string;
  readonly tag: string;
  /** Without a repository there is no such image. Default false: it needs one. */
  readonly optional?: boolean;
}

/** Where an image is. */
export function imageSchema(standard: StandardImage) {
  const repository = standard.optional ? text : text.min(1);
  return z
    .strictObject({
      registry: text
        .default(standard.registry ?? '')
        .meta({ description: 'Host, and path if any, before the repository. Empty: none is written.' }),
      repository: repository.default(standard.repository).meta({ description: 'Name in the registry.' }),
      tag: text.default(standard.tag).meta({ description: 'Tag. Not used with `digest`.' }),
      digest: z
        .string()
        .regex(/^(sha256:[0-9a-f]{64})?$/)
        .default('')
        .meta({ description: 'Digest, `sha256:` and 64 hexadecimal digits. Empty: the tag.' }),
    })
    .meta({ typeName: 'ImageLocation' });
}

export const pullPolicySchema = z.enum(['Always', 'IfNotPresent', 'Never']).meta({ typeName: 'ImagePullPolicy' });

export type CompleteImageLocation = DeepReadonly<z.output<ReturnType<typeof imageSchema>>>;
