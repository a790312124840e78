/** Where AWS's own controller runs. */
export const AWS_CONTROLLER = {
  namespace: 'hyperpod-inference-system',
  name: 'inference-gateway-controller',
} as const;
