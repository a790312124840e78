import {
  FLOW_CONTROL_DEFAULTS,
  LONGEST_HOLD_MS,
  MAX_BAND_REQUESTS,
  MOST_FLOW_BYTES,
} from '../../../api/inference-gateway-config/flow-control';
import { durationToMilliseconds } from '../../../api/schema/duration';
import { quantityToCount } from '../../../api/schema/quantity';
import type { Fault, FieldPath } from '../../../api/validation/fault';
import type { Band, BandLimits, FlowControlState } from '../../gateway-state';
import { goDurationToMilliseconds } from './go-duration';
import type { EndpointPickerConfig } from './schema';

type FlowControl = NonNullable<EndpointPickerConfig['flowControl']>;

interface ReadFlowControl {
  /** Absent where the file does not turn it on. */
  readonly flowControl?: FlowControlState;
  /** `noEndpointRequestTTL`, where the file says one. */
  readonly emptyPoolHoldMs?: number;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

interface Limits {
  readonly maxRequests: number;
  readonly maxBytes: number;
}

const DEFAULT_TTL_MS = durationToMilliseconds(FLOW_CONTROL_DEFAULTS.ttl) ?? 0;
const DEFAULT_BYTES = quantityToCount(FLOW_CONTROL_DEFAULTS.maxBytes) ?? 0;
const DEFAULT_LIMITS: Limits = {
  maxRequests: FLOW_CONTROL_DEFAULTS.maxRequests,
  maxBytes: quantityToCount(FLOW_CONTROL_DEFAULTS.bandMaxBytes) ?? 0,
};

/** Zero, written in any way that a quantity can be. */
const NO_LIMIT = /^[+-]?0+(?:\.0*)?(?:[KMGTPE]i?|[mkun]|[eE][+-]?[0-9]+)?$/;

/**
 * The flow control that a file asks for. Here everything is bounded: a limit that the file leaves out or turns off is
 * this gateway's. Priorities become bands by their sign.
 */
export function readFlowControl(config: EndpointPickerConfig): ReadFlowControl {
  const asked = config.flowControl ?? {};
  if (config.featureGates?.includes('flowControl') !== true) {
    const unused = config.flowControl !== undefined;
    return { faults: [], warnings: unused ? ['flowControl has no effect without the feature gate flowControl'] : [] };
  }
  const faults: Fault[] = [];
  const warnings: string[] = [];
  if (asked.enableEviction === true) {
    const message = 'this gateway ends no running request for another: set it to false';
    faults.push({ path: ['flowControl', 'enableEviction'], message });
  }
  const read = reader(faults, warnings);
  const ttlMs = read.ttl(asked, 'defaultRequestTTL');
  const emptyPoolHoldMs = read.ttl(asked, 'noEndpointRequestTTL');
  const maxBytes = read.count(asked.maxBytes, ['flowControl', 'maxBytes']);
  const maxRequests = read.count(asked.maxRequests, ['flowControl', 'maxRequests']);
  if (maxRequests !== undefined) warnings.push('flowControl.maxRequests limits each band here, and not all together');

  faults.push(...repeatedPriorities(asked));
  const limits = bandLimits(asked, read, warnings);
  const wished = maxBytes ?? Math.max(DEFAULT_BYTES, ...Object.values(limits).map((band) => band.maxBytes));
  const total = Math.min(wished, MOST_FLOW_BYTES);
  if (total < wished) warnings.push(`flowControl.maxBytes is ${wished}: here all bands together hold at most 1Gi`);
  const mostRequests = Math.min(maxRequests ?? MAX_BAND_REQUESTS, MAX_BAND_REQUESTS);
  const band = (name: Band): BandLimits => {
    const cut = (limit: keyof Limits, most: number) => {
      const asked = limits[name][limit];
      // A default is not what the file asks for.
      if (asked > most && asked !== DEFAULT_LIMITS[limit]) {
        warnings.push(`${limit} of the priorities of the band ${name} is ${asked}: here it is ${most}`);
      }
      return Math.min(asked, most);
    };
    return {
      ttlMs: ttlMs ?? DEFAULT_TTL_MS,
      maxRequests: cut('maxRequests', mostRequests),
      maxBytes: cut('maxBytes', total),
    };
  };
  if (ttlMs === undefined) {
    warnings.push(`flowControl.defaultRequestTTL is not set: a request waits ${FLOW_CONTROL_DEFAULTS.ttl}`);
  }
  return {
    flowControl: {
      bands: { critical: band('critical'), standard: band('standard'), sheddable: band('sheddable') },
      maxBytes: total,
      maxTenants: FLOW_CONTROL_DEFAULTS.maxTenants,
      trustClientHeaders: false,
    },
    ...(emptyPoolHoldMs !== undefined && { emptyPoolHoldMs }),
    faults,
    warnings,
  };
}

interface Reader {
  /** A limit; undefined where there is none. 0 says so, which cannot be followed here. */
  count(quantity: number | string | undefined, path: FieldPath): number | undefined;
  ttl(from: FlowControl, field: 'defaultRequestTTL' | 'noEndpointRequestTTL'): number | undefined;
}

function reader(faults: Fault[], warnings: string[]): Reader {
  return {
    count(quantity, path) {
      if (quantity === undefined) return undefined;
      if (NO_LIMIT.test(String(quantity))) {
        warnings.push(`${path.join('.')} is 0, which means no limit: here all is bounded, by the default`);
        return undefined;
      }
      const found = quantityToCount(quantity);
      if (found === undefined) faults.push({ path, message: 'must be a quantity, such as 1000, 1k or 256Mi' });
      return found;
    },
    ttl(from, field) {
      const text = from[field];
      if (text === undefined) return undefined;
      const found = goDurationToMilliseconds(text);
      if (found === undefined) {
        faults.push({ path: ['flowControl', field], message: 'must be a duration, such as 30s or 1m30s' });
      } else if (found === 0 || found > LONGEST_HOLD_MS) {
        warnings.push(`flowControl.${field} is ${text}: here a request waits at most 5m`);
        return LONGEST_HOLD_MS;
      }
      return found;
    },
  };
}

/** Those of the priorities of each sign together; where none is listed, of the template for others. */
function bandLimits(asked: FlowControl, read: Reader, warnings: string[]): Readonly<Record<Band, Limits>> {
  const limitsOf = (band: FlowControl['defaultPriorityBand'], path: FieldPath): Limits => ({
    maxRequests: read.count(band?.maxRequests, [...path, 'maxRequests']) ?? DEFAULT_LIMITS.maxRequests,
    maxBytes: read.count(band?.maxBytes, [...path, 'maxBytes']) ?? DEFAULT_LIMITS.maxBytes,
  });
  const others = limitsOf(asked.defaultPriorityBand, ['flowControl', 'defaultPriorityBand']);
  const negative = asked.defaultNegativePriorityBand
    ? limitsOf(asked.defaultNegativePriorityBand, ['flowControl', 'defaultNegativePriorityBand'])
    : others;
  const listed = (asked.priorityBands ?? []).map((band, index) => ({
    priority: band.priority,
    limits: limitsOf(band, ['flowControl', 'priorityBands', index]),
  }));
  const together = (name: Band, sign: number): Limits => {
    const own = listed.filter(({ priority }) => Math.sign(priority) === sign);
    if (own.length === 0) return sign < 0 ? negative : others;
    if (own.length > 1) {
      const priorities = own.map(({ priority }) => priority).join(' and ');
      warnings.push(`priorities ${priorities} are one band here (${name}), with the sum of their limits`);
    }
    return {
      maxRequests: own.reduce((sum, { limits }) => sum + limits.maxRequests, 0),
      maxBytes: own.reduce((sum, { limits }) => sum + limits.maxBytes, 0),
    };
  };
  return { critical: together('critical', 1), standard: together('standard', 0), sheddable: together('sheddable', -1) };
}

function repeatedPriorities({ priorityBands = [] }: FlowControl): Fault[] {
  const seen = new Set<number>();
  return priorityBands.flatMap(({ priority }, index): Fault[] => {
    if (!seen.has(priority)) {
      seen.add(priority);
      return [];
    }
    const message = `priority ${priority} is listed before: list it once`;
    return [{ path: ['flowControl', 'priorityBands', index, 'priority'], message }];
  });
}
