import { items, propertyAt } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import { conditionIn } from './conditions';

/** Conditions of routes and policies that must hold. */
const NEEDED = ['Accepted', 'ResolvedRefs'];

/**
 * Why Envoy Gateway does not take a route or a policy; undefined where it does. `pending`: it has said nothing yet.
 * Routes say it of each parent, policies of each ancestor.
 */
export function refusedAttachment({ kind, metadata, status }: KubernetesObject): string | undefined {
  for (const place of [...items(propertyAt(status, 'parents')), ...items(propertyAt(status, 'ancestors'))]) {
    for (const type of NEEDED) {
      const condition = conditionIn(propertyAt(place, 'conditions'), type);
      if (condition?.status !== 'False') continue;
      return `${kind} ${metadata.namespace}/${metadata.name}: ${condition.message ?? condition.reason}`;
    }
  }
  return undefined;
}

/** Whether Envoy Gateway has said anything of it. */
export function isJudged({ status }: KubernetesObject): boolean {
  return items(propertyAt(status, 'parents')).length > 0 || items(propertyAt(status, 'ancestors')).length > 0;
}
