import { isRecord, property, textOf } from '../../validation/loose';
import type { Rule } from '../../validation/rule';
import { ENVOY_DEFAULTS } from '../envoy';

/** Rules on how clients reach the gateway. */
export const endpointRules: readonly Rule[] = [
  {
    name: 'acm-or-issued',
    at: ['spec', 'tls'],
    message:
      'dnsNames and issuerRef are about a certificate that is issued, and acmArn names one that is there: remove acmArn, or the others',
    cel: { expression: "!has(self.acmArn) || self.acmArn == '' || (!has(self.dnsNames) && !has(self.issuerRef))" },
    extension: true,
    violations: (tls) => {
      if ((textOf(property(tls, 'acmArn')) ?? '') === '') return [];
      return ['dnsNames', 'issuerRef'].flatMap((name) => (property(tls, name) === undefined ? [] : [{ path: [name] }]));
    },
  },
  {
    name: 'target-group-or-load-balancer',
    at: ['spec', 'endpoint'],
    message:
      'targetGroupArn binds a load balancer that is there already, and type would make another: remove type, or targetGroupArn',
    cel: { expression: "!has(self.targetGroupArn) || !has(self.type) || self.type == 'clusterIP'" },
    extension: true,
    violations: (endpoint) => {
      const type = property(endpoint, 'type');
      const makes = type === 'nlb' || type === 'alb';
      return makes && property(endpoint, 'targetGroupArn') !== undefined ? [{ path: ['targetGroupArn'] }] : [];
    },
  },
  {
    name: 'envoy-replicas-ordered',
    at: ['spec', 'envoy'],
    message: 'maxReplicas must not be below minReplicas: raise maxReplicas or lower minReplicas',
    cel: { expression: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas' },
    extension: true,
    violations: (envoy) => {
      const bound = (name: keyof typeof ENVOY_DEFAULTS) => property(envoy, name) ?? ENVOY_DEFAULTS[name];
      const [least, most] = [bound('minReplicas'), bound('maxReplicas')];
      const wrong = typeof least === 'number' && typeof most === 'number' && least > most;
      return isRecord(envoy) && wrong ? [{ path: ['maxReplicas'] }] : [];
    },
  },
];
