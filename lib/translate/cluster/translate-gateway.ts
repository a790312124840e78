import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import { compileGatewayState } from '../compile-gateway-state';
import { longestHoldMs } from '../gateway-state/longest-hold';
import type { SourcedValue } from '../sourced-value';
import { type Context, createContext, type Scheduler } from './context';
import { gatewayTrafficPolicy, retryPolicies } from './envoy-gateway/backend-traffic-policies';
import { clientTrafficPolicy } from './envoy-gateway/client-traffic-policy';
import { envoyProxy } from './envoy-gateway/envoy-proxy';
import { extensionPolicy, routerTlsPolicy } from './envoy-gateway/extension-policy';
import { gateway, gatewayClass } from './envoy-gateway/gateway';
import { gatewayRoutes } from './envoy-gateway/gateway-routes';
import { securityPolicies } from './envoy-gateway/security-policy';
import { certificateObjects } from './ingress/certificates';
import { ingressObjects } from './ingress/ingress-objects';
import { ingressProblems } from './ingress/ingress-problems';
import type { KubernetesObject } from './kubernetes-object';
import { nameTaken } from './name-taken';
import { byKey } from './object-key';
import { collectorConfigMaps } from './pods/collector';
import { networkPolicies } from './pods/network-policies';
import { routerObjects } from './pods/router-objects';
import { modelService } from './schedulers/model-service';
import { pickerObjects } from './schedulers/picker-objects';
import { inferencePool } from './schedulers/pool';
import { schedulerRoute } from './schedulers/route';
import { separateNames } from './separate-names';
import type { Problem, TranslateGateway, Translation } from './types';

/** What a cluster should hold for one gateway, and what stands in the way. */
export const translateGateway: TranslateGateway = (config, installation, world) => {
  const taken = nameTaken(config, world);
  if (taken !== undefined) return blocked([taken]);
  const compiled = compileGatewayState([sourced(config), ...world.objects.map(sourced)], {
    tolerant: true,
    withoutPods: true,
  });
  if ('faults' in compiled) return invalidGateway(compiled.faults);

  const context = createContext(config, installation, world, longestHoldMs(compiled.state));
  const own = gatewayObjects(context);
  const made = config.spec.schedulers.map((scheduler) => schedulerObjects(context, scheduler));
  const separated = separateNames(context, own, made);
  const problems: Problem[] = [
    ...separated.problems,
    ...made.flatMap((one) => one.problems),
    ...compiled.schedulerFaults.map((fault): Problem => ({ condition: 'Accepted', ...fault, blocks: false })),
    ...ingressProblems(context),
    ...otherWarnings(compiled),
  ];
  if (problems.some(({ blocks }) => blocks)) return blocked(problems);
  const kept = new Set(separated.schedulers.map(({ scheduler }) => scheduler));
  return {
    objects: [...own, ...separated.schedulers.flatMap(({ objects }) => objects)].sort(byKey),
    problems,
    pickerDeployments: new Map(
      made.filter(({ scheduler }) => kept.has(scheduler)).map(({ scheduler, deployment }) => [scheduler, deployment]),
    ),
  };
};

/** Of a config that is not valid: `faults` are `path: message`. What runs goes on as it was. */
export function invalidGateway(faults: readonly string[]): Translation {
  return blocked([{ condition: 'Accepted', reason: 'Invalid', message: faults.join('; '), blocks: true }]);
}

function blocked(problems: readonly Problem[]): Translation {
  return { objects: [], problems, pickerDeployments: new Map() };
}

function gatewayObjects(context: Context): KubernetesObject[] {
  return [
    gatewayClass(context),
    gateway(context),
    envoyProxy(context),
    clientTrafficPolicy(context),
    gatewayTrafficPolicy(context),
    ...retryPolicies(context),
    extensionPolicy(context),
    routerTlsPolicy(context),
    ...securityPolicies(context),
    ...gatewayRoutes(context),
    ...routerObjects(context),
    ...networkPolicies(context),
    ...collectorConfigMaps(context),
    ...certificateObjects(context),
    ...ingressObjects(context),
  ];
}

function schedulerObjects(context: Context, scheduler: Scheduler) {
  const [deployment, ...pickers] = pickerObjects(context, scheduler);
  const pool = inferencePool(context, scheduler);
  return {
    scheduler: scheduler.name,
    objects: [
      deployment,
      ...pickers,
      ...('kind' in pool ? [pool] : []),
      schedulerRoute(context, scheduler),
      modelService(context, scheduler),
    ],
    deployment: deployment.metadata.name,
    problems: 'kind' in pool ? [] : [pool],
  };
}

/** What was left out of the objects that the gateway reads, each once. */
function otherWarnings({
  warnings,
  schedulerFaults,
}: {
  readonly warnings: readonly string[];
  readonly schedulerFaults: readonly { readonly message: string }[];
}): Problem[] {
  const told = new Set(schedulerFaults.map(({ message }) => message));
  return warnings
    .filter((warning) => !told.has(warning))
    .map((message) => ({ reason: 'ObjectLeftOut', message, blocks: false }));
}

/** Messages name an object by its place in the cluster. */
function sourced(value: InferenceGatewayConfig | KubernetesObject): SourcedValue {
  const { namespace = 'default', name } = value.metadata;
  return { source: `${namespace}/${name}`, value };
}
