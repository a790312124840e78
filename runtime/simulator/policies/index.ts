import type { PolicyKind } from '../fleet/policy';
import { connectionPinned } from './connection-pinned';
import { gateway, gatewayFlow } from './gateway';
import { gieDefault } from './gie-default';
import { leastRequest } from './least-request';
import { oracle } from './oracle';
import { powerOfTwo } from './power-of-two';
import { prefixSticky } from './prefix-sticky';
import { random } from './random';
import { roundRobin } from './round-robin';

/** The policies by name, in the order of reports. */
export const POLICIES: Readonly<Record<string, PolicyKind>> = Object.fromEntries(
  [
    gateway,
    gatewayFlow,
    gieDefault,
    roundRobin,
    connectionPinned,
    random,
    leastRequest,
    powerOfTwo,
    prefixSticky,
    oracle,
  ].map((policy) => [policy.name, policy]),
);
