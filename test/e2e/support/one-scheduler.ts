/** A gateway with one scheduler, `a` for the model `model-a`, and no pods. */
export const ONE_SCHEDULER = `apiVersion: inference.sagemaker.aws.amazon.com/v1alpha1
kind: InferenceGatewayConfig
metadata:
  name: test
spec:
  bbr:
    enabled: true
  schedulers:
    - name: a
      modelName: model-a
      modelSelector:
        matchLabels:
          app: a
`;
