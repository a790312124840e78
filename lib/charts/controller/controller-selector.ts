/** Labels by which the controller's pods are found; a Deployment's cannot change. */
export const CONTROLLER_SELECTOR = {
  'app.kubernetes.io/name': 'inference-gateway',
  'app.kubernetes.io/component': 'controller',
};
