import { z } from 'zod';

const text = z.string();
const textMap = z.record(z.string(), text);

/** An object name: DNS-1123 subdomain. */
export const objectNameSchema = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
  .meta({ expects: 'lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit' });

/** A name that may become a label or a Service: DNS-1123 label. */
export const labelNameSchema = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
  .meta({ expects: 'lower-case letters, digits and "-", beginning and ending with a letter or digit' });

const read = {
  name: objectNameSchema.meta({ description: 'Name, unique in its namespace.' }),
  namespace: labelNameSchema.default('default').meta({ description: 'Namespace.' }),
  uid: text.optional(),
  labels: textMap.optional(),
  annotations: textMap.optional(),
  creationTimestamp: text.optional(),
  deletionTimestamp: text.optional(),
};

/** Metadata of a core kind: what we read is typed, the rest is passed over. */
export const looseObjectMetaSchema = z.looseObject(read);

/** Metadata of a kind of ours: every field that Kubernetes knows, and no other, so that a misspelt one is refused. */
export const objectMetaSchema = z.strictObject({
  ...read,
  generateName: text.optional(),
  generation: z.int().optional(),
  resourceVersion: text.optional(),
  selfLink: text.optional(),
  deletionGracePeriodSeconds: z.int().optional(),
  finalizers: z.array(text).optional(),
  ownerReferences: z.array(z.unknown()).optional(),
  managedFields: z.array(z.unknown()).optional(),
});
