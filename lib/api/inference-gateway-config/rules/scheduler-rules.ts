import { isRecord, items, property } from '../../validation/loose';
import type { Rule } from '../../validation/rule';

const SCHEDULER = ['spec', 'schedulers', '*'] as const;
const SELECTOR = [...SCHEDULER, 'modelSelector'] as const;

/** Rules on one scheduler. */
export const schedulerRules: readonly Rule[] = [
  {
    name: 'weights-or-config-map',
    at: SCHEDULER,
    message: 'weights and configMapRef are mutually exclusive: remove one of them',
    cel: { expression: '!(has(self.weights) && has(self.configMapRef))' },
    extension: false,
    violations: (scheduler) =>
      has(scheduler, 'weights') && has(scheduler, 'configMapRef') ? [{ path: ['configMapRef'] }] : [],
  },
  {
    name: 'profile-or-config-map',
    at: SCHEDULER,
    message: 'profile and configMapRef are mutually exclusive: remove one of them',
    cel: { expression: '!(has(self.profile) && has(self.configMapRef))' },
    extension: true,
    violations: (scheduler) =>
      has(scheduler, 'profile') && has(scheduler, 'configMapRef') ? [{ path: ['profile'] }] : [],
  },
  {
    name: 'lru-with-llm-d',
    at: SCHEDULER,
    message: 'weights.lru is valid only when scheduler is llm-d: remove it, or set scheduler to llm-d',
    cel: { expression: "!has(self.weights) || !has(self.weights.lru) || self.scheduler == 'llm-d'" },
    extension: false,
    violations: (scheduler) =>
      property(scheduler, 'scheduler') === 'epp' && has(property(scheduler, 'weights'), 'lru')
        ? [{ path: ['weights', 'lru'] }]
        : [],
  },
  {
    name: 'selector-not-empty',
    at: SELECTOR,
    message: 'modelSelector must have at least one requirement: an empty one would take every pod of the namespace',
    cel: {
      expression:
        '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
    },
    extension: true,
    violations: (selector) =>
      isRecord(selector) && isEmpty(selector.matchLabels) && isEmpty(selector.matchExpressions) ? [{ path: [] }] : [],
  },
  {
    name: 'selector-values-fit-operator',
    at: [...SELECTOR, 'matchExpressions', '*'],
    message: 'values must have at least one item with In and NotIn, and none with Exists and DoesNotExist',
    cel: { expression: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)" },
    extension: true,
    violations: (requirement) => {
      const operator = property(requirement, 'operator');
      const wantsValues = operator === 'In' || operator === 'NotIn';
      if (!wantsValues && operator !== 'Exists' && operator !== 'DoesNotExist') return [];
      return wantsValues === items(property(requirement, 'values')).length > 0 ? [] : [{ path: ['values'] }];
    },
  },
];

function has(node: unknown, name: string): boolean {
  return property(node, name) !== undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
