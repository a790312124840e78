import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { applyWaves } from '../../../runtime/controller/apply-order';
import { OWNED_KINDS, placeOf } from '../../../runtime/controller/owned-kinds';
import { INSTALLATION } from './support/bench';

const GOLDEN = join(__dirname, '../../controller/golden');

/** What the translator makes in its golden tests, each a cluster of its own. */
function clusters(): KubernetesObject[][] {
  return readdirSync(GOLDEN)
    .filter((name) => name.endsWith('.out.yaml'))
    .map((name) =>
      parseAllDocuments(readFileSync(join(GOLDEN, name), 'utf8'))
        .map((document) => document.toJS() as KubernetesObject)
        .filter((object) => object?.metadata?.labels !== undefined),
    );
}

const translated = () => clusters().flat();

const kindOf = ({ apiVersion, kind }: KubernetesObject) => `${apiVersion} ${kind}`;

test('every kind that the translator makes is watched, so that it is pruned and put back', () => {
  const watched = new Set(
    OWNED_KINDS.map(
      ({ resource: { group, version, kind } }) => `${group === '' ? version : `${group}/${version}`} ${kind}`,
    ),
  );
  const made = new Set(translated().map(kindOf));
  made.delete('gateway.networking.k8s.io/v1 GatewayClass');

  expect(made.size).toBeGreaterThan(15);
  expect([...made].filter((kind) => !watched.has(kind))).toEqual([]);
});

test('kinds that are looked for in one namespace are made in no other', () => {
  for (const objects of clusters()) {
    for (const kind of OWNED_KINDS) {
      if (placeOf(kind, INSTALLATION, '').namespace === undefined) continue;
      const own = objects.filter((object) => object.kind === kind.resource.kind);
      const places = new Set(own.map(({ metadata }) => metadata.namespace));
      expect([kind.resource.kind, [...places].slice(1)]).toEqual([kind.resource.kind, []]);
    }
  }
});

test('no route comes before anything else', () => {
  const waves = applyWaves(translated());

  expect(new Set(waves.at(-1)?.map(({ kind }) => kind))).toEqual(
    new Set(['HTTPRoute', 'Ingress', 'TargetGroupBinding']),
  );
});
