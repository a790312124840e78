import { CONTROLLER } from '../names';

/** What Helm prints after an installation. */
export const NOTES = `The controller is starting in namespace {{ .Release.Namespace }}. It applies the CRDs first; then gateways can be made:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/${CONTROLLER}
  kubectl apply -f my-gateway.yaml
  kubectl get inferencegatewayconfigs --all-namespaces

Delete the InferenceGatewayConfigs before you uninstall: what they made is removed by the controller.
`;
