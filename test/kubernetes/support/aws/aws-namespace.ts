/** Of the SageMaker HyperPod add-on. */
export const AWS_NAMESPACE = 'hyperpod-inference-system';
