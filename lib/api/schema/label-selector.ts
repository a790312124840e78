import { z } from 'zod';

const labelKeySchema = z
  .string()
  .max(317)
  .regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
  .meta({ expects: 'a label key, such as app or example.com/app' });

const labelValueSchema = z
  .string()
  .max(63)
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/)
  .meta({ expects: 'a label value of letters, digits, "-", "_" and "."' });

const requirementSchema = z
  .strictObject({
    key: labelKeySchema.meta({ description: 'The label that the requirement is about.' }),
    operator: z
      .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
      .meta({ description: 'How the label relates to `values`.', typeName: 'LabelSelectorOperator' }),
    values: z
      .array(labelValueSchema)
      .max(64)
      .optional()
      .meta({ description: 'Label values. At least one with In and NotIn, none with Exists and DoesNotExist.' }),
  })
  .meta({ description: 'One requirement on a label.', typeName: 'LabelSelectorRequirement' });

/** A Kubernetes label selector: every requirement of both fields must hold. */
export const labelSelectorSchema = z
  .strictObject({
    matchLabels: z
      .record(labelKeySchema, labelValueSchema)
      .optional()
      .meta({ description: 'Labels that a pod must have, each with this value.' }),
    matchExpressions: z
      .array(requirementSchema)
      .max(64)
      .optional()
      .meta({ description: 'Requirements that a pod must meet, all of them.' }),
  })
  .meta({ typeName: 'LabelSelector', 'x-kubernetes-map-type': 'atomic' });
