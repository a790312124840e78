import { quantityToCount } from '../../schema/quantity';
import { isRecord, items, property, propertyAt } from '../../validation/loose';
import type { Rule } from '../../validation/rule';
import { FLOW_CONTROL_DEFAULTS, LONGEST_HOLD_MS, MOST_FLOW_BYTES } from '../flow-control';
import { milliseconds } from './milliseconds';

const FLOW_CONTROL = ['spec', 'schedulers', '*', 'flowControl'] as const;
const BANDS = ['critical', 'standard', 'sheddable'] as const;

/** Rules on how requests wait, and on who may say what they are. */
export const flowControlRules: readonly Rule[] = [
  {
    name: 'band-ttl-bounded',
    at: [...FLOW_CONTROL, 'bands'],
    message:
      'ttl must be above 0s and at most 5m: to let no request of a band wait, set its maxRequests to 0; a longer wait outlasts clients',
    cel: {
      expression: BANDS.map(
        (band) =>
          `(!has(self.${band}) || !has(self.${band}.ttl) || (duration(self.${band}.ttl) > duration('0s') && duration(self.${band}.ttl) <= duration('5m')))`,
      ).join(' && '),
    },
    extension: true,
    violations: (bands) =>
      BANDS.flatMap((band) => {
        const ttl = milliseconds(propertyAt(bands, band, 'ttl'));
        return ttl === undefined || (ttl > 0 && ttl <= LONGEST_HOLD_MS) ? [] : [{ path: [band, 'ttl'] }];
      }),
  },
  {
    name: 'band-bytes-within-all',
    at: FLOW_CONTROL,
    message: 'maxBytes of a band must not be above maxBytes of all bands: lower it, or raise flowControl.maxBytes',
    cel: { absentBecause: 'quantities have no bound on their length, so that the API server takes it for too costly' },
    extension: true,
    violations: (flowControl) => {
      const written = property(flowControl, 'maxBytes');
      const total = quantityToCount(written ?? FLOW_CONTROL_DEFAULTS.maxBytes);
      if (!isRecord(flowControl) || total === undefined) return [];
      return BANDS.flatMap((band) => {
        const bytes = quantityToCount(propertyAt(flowControl, 'bands', band, 'maxBytes'));
        if (bytes === undefined || bytes <= total) return [];
        return [
          {
            path: ['bands', band, 'maxBytes'],
            ...(written === undefined && { detail: `which is ${FLOW_CONTROL_DEFAULTS.maxBytes} by default` }),
          },
        ];
      });
    },
  },
  {
    name: 'flow-bytes-bounded',
    at: FLOW_CONTROL,
    message: 'maxBytes must be at most 1Gi: the router holds at most 2 GiB of request bodies for all schedulers',
    cel: { absentBecause: 'quantities have no bound on their length, so that the API server takes it for too costly' },
    extension: true,
    violations: (flowControl) =>
      (quantityToCount(property(flowControl, 'maxBytes')) ?? 0) > MOST_FLOW_BYTES ? [{ path: ['maxBytes'] }] : [],
  },
  {
    name: 'empty-pool-hold-bounded',
    at: ['spec', 'overload'],
    message: 'emptyPoolHold must be at most 5m: a longer wait outlasts clients',
    cel: { expression: "!has(self.emptyPoolHold) || duration(self.emptyPoolHold) <= duration('5m')" },
    extension: true,
    violations: (overload) =>
      (milliseconds(property(overload, 'emptyPoolHold')) ?? 0) > LONGEST_HOLD_MS ? [{ path: ['emptyPoolHold'] }] : [],
  },
  {
    name: 'claims-not-empty',
    at: ['spec', 'auth', 'jwt', 'claims'],
    message: 'at least one of objective and tenant must name a claim: name one, or remove claims',
    cel: { expression: 'has(self.objective) || has(self.tenant)' },
    extension: true,
    violations: (claims) =>
      isRecord(claims) && claims.objective === undefined && claims.tenant === undefined ? [{ path: [] }] : [],
  },
  {
    name: 'claims-or-client-headers',
    at: ['spec'],
    message:
      'trustClientHeaders and spec.auth.jwt.claims contradict each other, because with claims the headers of clients are ignored: remove one of them',
    cel: {
      expression:
        '!has(self.auth) || !has(self.auth.jwt) || !has(self.auth.jwt.claims) || self.schedulers.all(s, !has(s.flowControl) || !has(s.flowControl.trustClientHeaders) || !s.flowControl.trustClientHeaders)',
    },
    extension: true,
    violations: (spec) => {
      if (propertyAt(spec, 'auth', 'jwt', 'claims') === undefined) return [];
      return items(property(spec, 'schedulers')).flatMap((scheduler, index) =>
        propertyAt(scheduler, 'flowControl', 'trustClientHeaders') === true
          ? [{ path: ['schedulers', index, 'flowControl', 'trustClientHeaders'] }]
          : [],
      );
    },
  },
];
