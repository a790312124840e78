import fc from 'fast-check';
import { CONTENT_ANNOTATION } from '../../../../runtime/controller/crds/crd-marks';
import { installCrds } from '../../../../runtime/controller/crds/install-crds';
import type { CrdBundle, ShippedCrd } from '../../../../runtime/controller/crds/shipped-crd';
import { manualClock } from '../support/manual-clock';
import { CrdApi } from './support/crd-api';
import { definition, published, shippedCrd } from './support/definitions';

/** How much a release differs from the one before it. Each has a field more; some have a new generator and lose a field. */
interface Step {
  readonly newGenerator: boolean;
  readonly losesField: boolean;
}

/** Somebody installs a release: a controller that ships it, or a person who replaces the definition with it. */
interface Install {
  readonly by: 'controller' | 'person who replaces' | 'person who keeps annotations';
  readonly release: number;
}

const steps = fc.array(fc.record({ newGenerator: fc.boolean(), losesField: fc.boolean() }), {
  minLength: 2,
  maxLength: 6,
});
const installs = fc.array(
  fc.record({
    by: fc.constantFrom<Install['by'][]>(
      'controller',
      'controller',
      'person who replaces',
      'person who keeps annotations',
    ),
    release: fc.nat({ max: 6 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test.each<CrdBundle>(['gateway-api', 'inference-extension', 'inference-gateway', 'envoy-gateway'])(
  'whoever installed what before, a controller never replaces a newer definition of %s',
  async (bundle) => {
    await fc.assert(
      fc.asyncProperty(steps, installs, async (line, history) => {
        const releases = releaseLine(bundle, line);
        const api = new CrdApi();
        let present = -1;
        for (const { by, release } of history) {
          const shipped = releases[release % releases.length]!;
          if (by !== 'controller') {
            installByHand(api, shipped, by);
            present = release % releases.length;
            continue;
          }
          const [result] = await installCrds(api, [shipped], options());
          if (result?.action !== 'kept') {
            expect(release % releases.length).toBeGreaterThan(present);
            present = release % releases.length;
          } else if (bundle !== 'envoy-gateway') {
            // Those that name their release leave no doubt.
            expect(release % releases.length).toBeLessThanOrEqual(present);
          }
        }
      }),
    );
  },
);

function releaseLine(bundle: CrdBundle, line: readonly Step[]): ShippedCrd[] {
  let fields = ['color'];
  let generator = 0;
  return line.map(({ newGenerator, losesField }, index) => {
    fields = [...fields.filter((_, at) => !(newGenerator && losesField && at === 1)), `field${index}`];
    if (newGenerator) generator += 1;
    const release = `v1.${index}.0`;
    const annotations =
      bundle === 'envoy-gateway' ? published[bundle](`v0.${generator}.0`) : published[bundle](release);
    return shippedCrd(bundle, release, { fields, annotations });
  });
}

function installByHand(api: CrdApi, shipped: ShippedCrd, by: Install['by']): void {
  const name = shipped.definition.metadata.name;
  const kept = by === 'person who keeps annotations' ? api.annotations(name) : {};
  const annotations = { ...kept, ...shipped.definition.metadata.annotations };
  api.install({ ...shipped.definition, metadata: { name, annotations } });
}

function options() {
  return {
    fieldManager: 'controller',
    managed: new Set<CrdBundle>(['gateway-api', 'inference-extension', 'inference-gateway', 'envoy-gateway']),
    timeoutMs: 1000,
    clock: manualClock(),
    signal: new AbortController().signal,
  };
}

test('the annotation of what was applied is among those that a person may leave behind', async () => {
  const api = new CrdApi();
  await installCrds(api, [shippedCrd('envoy-gateway', 'v1.0.0')], options());
  expect(api.annotations(definition().metadata.name)).toHaveProperty([CONTENT_ANNOTATION]);
});
