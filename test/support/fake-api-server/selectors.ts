import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';

export type Matches = (object: KubernetesObject) => boolean;

/** Of a request's `labelSelector` and `fieldSelector`, as the API server reads them. */
export function selectorOf(labels: string | null, fields: string | null): Matches {
  const tests = [...splitTerms(labels ?? '').map(labelTest), ...splitTerms(fields ?? '').map(fieldTest)];
  return (object) => tests.every((test) => test(object));
}

/** At commas that are not within brackets. */
function splitTerms(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function labelTest(term: string): Matches {
  const labelOf = (object: KubernetesObject, key: string) => object.metadata.labels?.[key];
  const set = /^(\S+)\s+(in|notin)\s+\((.*)\)$/.exec(term);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (object) => {
      const value = labelOf(object, key);
      const isIn = value !== undefined && values.includes(value);
      return operator === 'in' ? isIn : !isIn;
    };
  }
  const [, key = '', operator, wanted = ''] = /^([^=!]+)(==?|!=)(.*)$/.exec(term) ?? [];
  if (operator === '!=') return (object) => labelOf(object, key.trim()) !== wanted.trim();
  if (operator !== undefined) return (object) => labelOf(object, key.trim()) === wanted.trim();
  if (term.startsWith('!')) return (object) => labelOf(object, term.slice(1)) === undefined;
  return (object) => labelOf(object, term) !== undefined;
}

function fieldTest(term: string): Matches {
  const [, path = '', operator, wanted] = /^([^=!]+)(==?|!=)(.*)$/.exec(term) ?? [];
  return (object) => {
    let value: unknown = object;
    for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
    return (String(value ?? '') === wanted) === (operator !== '!=');
  };
}
