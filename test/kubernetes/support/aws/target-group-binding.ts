/**
 * The definition of TargetGroupBindings with the fields that are used here, written for the tests. That a binding stays
 * with its target group is the rule of a webhook in the AWS Load Balancer Controller.
 */
export const TARGET_GROUP_BINDINGS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'targetgroupbindings.elbv2.k8s.aws' },
  spec: {
    group: 'elbv2.k8s.aws',
    scope: 'Namespaced',
    names: {
      kind: 'TargetGroupBinding',
      listKind: 'TargetGroupBindingList',
      plural: 'targetgroupbindings',
      singular: 'targetgroupbinding',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['serviceRef', 'targetGroupARN', 'targetType'],
                properties: {
                  serviceRef: {
                    type: 'object',
                    required: ['name', 'port'],
                    properties: {
                      name: { type: 'string' },
                      port: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
                    },
                  },
                  targetGroupARN: {
                    type: 'string',
                    'x-kubernetes-validations': [
                      {
                        rule: 'self == oldSelf',
                        message: 'TargetGroupBinding update may not change these fields: spec.targetGroupARN',
                      },
                    ],
                  },
                  targetType: { type: 'string', enum: ['instance', 'ip'] },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
