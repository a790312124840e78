import burst70b from './burst-70b.json';
import burst235b from './burst-235b.json';
import cachePressure from './cache-pressure.json';
import homogeneous8b from './homogeneous-8b.json';
import longContext from './long-context.json';
import lora from './lora.json';
import metricsOutage from './metrics-outage.json';
import mixed8b from './mixed-8b.json';
import mixed32b from './mixed-32b.json';
import overload from './overload.json';
import podLoss from './pod-loss.json';
import scaleUp from './scale-up.json';
import { parseScenario, type Scenario } from './scenario';
import sharedPrefix8b from './shared-prefix-8b.json';

/** The built-in scenarios by name, those of AWS's table first. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  [
    mixed8b,
    mixed32b,
    burst70b,
    burst235b,
    sharedPrefix8b,
    homogeneous8b,
    lora,
    longContext,
    cachePressure,
    podLoss,
    metricsOutage,
    scaleUp,
    overload,
  ].map((data) => {
    const scenario = parseScenario(data);
    return [scenario.name, scenario];
  }),
);
