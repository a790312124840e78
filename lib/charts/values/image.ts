import { z } from 'zod';
import type { DeepReadonly } from '../../api/schema/deep-readonly';

const text = z.string();

/** Where an image is. All parts may be empty but for what the image is by default. */
export function imageSchema(standard: { registry?: string; repository: string; tag: string }) {
  return z
    .strictObject({
      registry: text
        .default(standard.registry ?? '')
        .meta({ description: 'Host, and path if any, before the repository. Empty: none is written.' }),
      repository: text.default(standard.repository).meta({ description: 'Name in the registry.' }),
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
