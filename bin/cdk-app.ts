import { join } from 'node:path';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';

/** Publishes the CustomResourceDefinition as an asset, from which a cluster's bootstrap applies it. */
const app = new App();
const stack = new Stack(app, 'InferenceGateway', {
  description: 'HyperPod Inference Gateway: the CustomResourceDefinition of InferenceGatewayConfig as an asset.',
});
const crd = new Asset(stack, 'InferenceGatewayConfigCrd', {
  path: join(__dirname, '../config/crd/inference.sagemaker.aws.amazon.com_inferencegatewayconfigs.yaml'),
});
new CfnOutput(stack, 'InferenceGatewayConfigCrdUrl', { value: crd.s3ObjectUrl });
app.synth();
