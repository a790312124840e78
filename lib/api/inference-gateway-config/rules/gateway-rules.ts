import { isRecord, items, property, propertyAt, textOf } from '../../validation/loose';
import type { Rule, Violation } from '../../validation/rule';
import { RETRY_AFTER_DEFAULTS } from '../overload';
import { milliseconds } from './milliseconds';

/** Rules on the gateway as a whole. */
export const gatewayRules: readonly Rule[] = [
  {
    name: 'bbr-enabled-with-several-schedulers',
    at: ['spec'],
    message: 'bbr must be enabled when more than one scheduler is defined: set spec.bbr.enabled to true',
    cel: { expression: 'self.bbr.enabled || size(self.schedulers) <= 1' },
    extension: false,
    violations: (spec) =>
      propertyAt(spec, 'bbr', 'enabled') === false && items(property(spec, 'schedulers')).length > 1
        ? [{ path: ['bbr', 'enabled'] }]
        : [],
  },
  {
    name: 'scheduler-name-unique',
    at: ['spec'],
    message: 'scheduler names must be unique: rename one',
    cel: { absentBecause: 'the list is keyed by name (x-kubernetes-list-type: map)' },
    extension: false,
    violations: (spec) => repeatedIn(spec, 'name'),
  },
  {
    name: 'model-name-unique',
    at: ['spec'],
    message: 'modelName must be unique across schedulers: name another model, or merge the schedulers',
    cel: {
      expression:
        'self.schedulers.all(a, !has(a.modelName) || self.schedulers.exists_one(b, has(b.modelName) && b.modelName == a.modelName))',
    },
    extension: false,
    violations: (spec) => repeatedIn(spec, 'modelName'),
  },
  {
    name: 'model-name-with-several-schedulers',
    at: ['spec'],
    message: 'modelName is required when more than one scheduler is defined: it is how a request finds its scheduler',
    cel: { expression: 'size(self.schedulers) <= 1 || self.schedulers.all(s, has(s.modelName))' },
    extension: false,
    violations: (spec) => {
      const schedulers = items(property(spec, 'schedulers'));
      if (schedulers.length <= 1) return [];
      return schedulers.flatMap((scheduler, index) =>
        isRecord(scheduler) && scheduler.modelName === undefined ? [{ path: ['schedulers', index, 'modelName'] }] : [],
      );
    },
  },
  {
    name: 'jwt-restricts-tokens',
    at: ['spec', 'auth', 'jwt', 'provider'],
    message: 'at least one of audiences and requiredClaims must be set: else every token of the issuer would be let in',
    cel: {
      expression:
        '(has(self.audiences) && size(self.audiences) > 0) || (has(self.requiredClaims) && size(self.requiredClaims) > 0)',
    },
    extension: false,
    violations: (provider) =>
      isRecord(provider) && isEmpty(provider.audiences) && isEmpty(provider.requiredClaims) ? [{ path: [] }] : [],
  },
  {
    name: 'queue-time-above-zero',
    at: ['spec', 'overload'],
    message: 'maxQueueTime must be above 0s: to refuse what cannot start at once, set it to 1ms',
    cel: { expression: "!has(self.maxQueueTime) || duration(self.maxQueueTime) > duration('0s')" },
    extension: true,
    violations: (overload) =>
      milliseconds(property(overload, 'maxQueueTime')) === 0 ? [{ path: ['maxQueueTime'] }] : [],
  },
  {
    name: 'retry-after-above-zero',
    at: ['spec', 'overload', 'retryAfter'],
    message: 'min must be above 0s: a client told to retry at once makes the overload worse',
    cel: { expression: "!has(self.min) || duration(self.min) > duration('0s')" },
    extension: true,
    violations: (bounds) => (milliseconds(property(bounds, 'min')) === 0 ? [{ path: ['min'] }] : []),
  },
  {
    name: 'retry-after-ordered',
    at: ['spec', 'overload', 'retryAfter'],
    message: 'max must not be below min: raise max or lower min',
    cel: { expression: '!has(self.min) || !has(self.max) || duration(self.min) <= duration(self.max)' },
    extension: true,
    violations: (bounds) => {
      const min = milliseconds(property(bounds, 'min') ?? RETRY_AFTER_DEFAULTS.min);
      const max = milliseconds(property(bounds, 'max') ?? RETRY_AFTER_DEFAULTS.max);
      return isRecord(bounds) && min !== undefined && max !== undefined && min > max ? [{ path: ['max'] }] : [];
    },
  },
];

/** Each scheduler whose `field` an earlier one has too. */
function repeatedIn(spec: unknown, field: string): Violation[] {
  const first = new Map<string, number>();
  return items(property(spec, 'schedulers')).flatMap((scheduler, index) => {
    const value = textOf(property(scheduler, field));
    if (value === undefined) return [];
    const earlier = first.get(value);
    if (earlier === undefined) first.set(value, index);
    if (earlier === undefined) return [];
    return [
      {
        path: ['schedulers', index, field],
        detail: `${JSON.stringify(value)} is also spec.schedulers[${earlier}].${field}`,
      },
    ];
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
