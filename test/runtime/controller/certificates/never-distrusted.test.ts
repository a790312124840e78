import fc from 'fast-check';
import { authorityIn, secretData } from '../../../../runtime/controller/certificates/authority-secret';
import {
  certificateFacts,
  certificatesIn,
  isIssuedBy,
} from '../../../../runtime/controller/certificates/certificate-facts';
import type { HeldLeaf } from '../../../../runtime/controller/certificates/leaf-secret';
import { reconcileTrust } from '../../../../runtime/controller/certificates/reconcile-trust';
import { MemoryApi } from '../support/memory-api';
import { AUTHORITY, DOMAIN, deleteSecret, GRACE, heldIn, LEAVES, putSecret, secretOf } from './support/domain';
import { DAY, NOW, serial } from './support/issuing';

/** A pod reads its files again within this time, at a time of its own. */
const LAG = GRACE - 60_000;
/** The controller is never away for longer: certificates are renewed with three days left. */
const LONGEST_ABSENCE = 2.5 * DAY;

/** A gateway's pods, a controller, and the time between them. */
class World {
  readonly api = new MemoryApi();
  now = NOW;
  private reconciledAt = NOW;
  private readonly pods = new Map<string, { readonly held: HeldLeaf; readonly readAt: number }>();

  async start(): Promise<void> {
    await this.reconcile(undefined);
    for (const name of LEAVES) this.read(name);
  }

  /** `crashAt`: the write at which the process is killed; its answer may be lost, or the write itself. */
  async reconcile(crash: { readonly at: number; readonly when: 'before' | 'after' } | undefined): Promise<void> {
    let writes = 0;
    this.api.mishap = ({ verb }) => {
      if (verb === 'get') return undefined;
      writes += 1;
      return writes === crash?.at ? { when: crash.when, error: new Error('killed') } : undefined;
    };
    const options = { now: this.now, graceMs: GRACE, serial, signal: new AbortController().signal };
    const run = reconcileTrust(this.api, DOMAIN, options);
    if (crash === undefined) await run;
    else await run.catch((error: Error) => expect(error.message).toBe('killed'));
    if (crash === undefined) this.reconciledAt = this.now;
  }

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    while (this.now < end) {
      const oldest = Math.min(...[...this.pods.values()].map(({ readAt }) => readAt));
      const mustRead = oldest + LAG;
      const mustReconcile = this.reconciledAt + LONGEST_ABSENCE;
      this.now = Math.min(end, Math.max(this.now, Math.min(mustRead, mustReconcile)));
      if (this.now >= mustReconcile) await this.reconcile(undefined);
      for (const [name, { readAt }] of this.pods) if (this.now - readAt >= LAG) this.read(name);
    }
  }

  /** What cannot be used is passed over. */
  read(name: string): void {
    const held = heldIn(this.api, name);
    if (held.certificate !== undefined && held.key !== undefined) this.pods.set(name, { held, readAt: this.now });
    else this.pods.set(name, { held: this.pods.get(name)!.held, readAt: this.now });
  }

  /** The authority is due. */
  async introduce(): Promise<void> {
    await this.pass(41 * DAY);
    await this.reconcile(undefined);
  }

  async promote(): Promise<void> {
    await this.introduce();
    await this.pass(GRACE);
    await this.reconcile(undefined);
  }

  loseAuthority(): void {
    deleteSecret(this.api, AUTHORITY);
  }

  loseKey(): void {
    const secret = secretOf(this.api, AUTHORITY);
    if (secret === undefined) return;
    const { signer } = authorityIn(secret)!;
    putSecret(this.api, {
      ...secret,
      data: { ...(secret.data as object), ...secretData({ 'tls.crt': signer.certificate, 'tls.key': 'nonsense' }) },
    });
  }

  /** Without a key its certificate could be replaced only by one that nobody trusts yet. */
  loseLeaf(name: string): void {
    const secret = secretOf(this.api, AUTHORITY);
    if (secret !== undefined && authorityIn(secret)?.signer.key !== undefined) deleteSecret(this.api, name);
  }

  check(): void {
    for (const [name, { held }] of this.pods) {
      const shown = certificateFacts(held.certificate)!;
      expect({ name, ended: shown.notAfter <= this.now }).toEqual({ name, ended: false });
      for (const [
        other,
        {
          held: { trusted },
        },
      ] of this.pods) {
        const trusts = certificatesIn(trusted).some((pem) => isIssuedBy(shown, certificateFacts(pem)!));
        expect({ [other]: `trusts ${name}: ${trusts}` }).toEqual({ [other]: `trusts ${name}: true` });
      }
    }
  }
}

type Step = (world: World) => Promise<void> | void;

const leafName = fc.constantFrom(...LEAVES);
const step: fc.Arbitrary<[name: string, step: Step]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<[string, Step]>(['reconcile', (world) => world.reconcile(undefined)]) },
  {
    weight: 4,
    arbitrary: fc
      .record({ at: fc.integer({ min: 1, max: 6 }), when: fc.constantFrom('before' as const, 'after' as const) })
      .map((crash): [string, Step] => [`crash ${crash.when} ${crash.at}`, (world) => world.reconcile(crash)]),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(60_000, GRACE / 2, GRACE, 2 * GRACE, DAY)
      .map((ms): [string, Step] => [`pass ${ms}`, (world) => world.pass(ms)]),
  },
  { weight: 2, arbitrary: fc.constant<[string, Step]>(['introduce', (world) => world.introduce()]) },
  { weight: 2, arbitrary: fc.constant<[string, Step]>(['promote', (world) => world.promote()]) },
  { weight: 3, arbitrary: leafName.map((name): [string, Step] => [`read ${name}`, (world) => world.read(name)]) },
  { weight: 1, arbitrary: leafName.map((name): [string, Step] => [`lose ${name}`, (world) => world.loseLeaf(name)]) },
  { weight: 1, arbitrary: fc.constant<[string, Step]>(['lose authority', (world) => world.loseAuthority()]) },
  { weight: 1, arbitrary: fc.constant<[string, Step]>(['lose key', (world) => world.loseKey()]) },
);

test('whatever happens when, no two pods ever distrust each other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const world = new World();
      await world.start();
      for (const [, act] of steps) {
        await act(world);
        world.check();
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('in half a year authorities and certificates are renewed again and again, without a moment of distrust', async () => {
  const world = new World();
  await world.start();
  const authorities = new Set<string>();
  for (let day = 0; day < 182; day += 1) {
    await world.pass(DAY - GRACE);
    await world.reconcile(undefined);
    await world.pass(GRACE);
    await world.reconcile(undefined);
    world.check();
    authorities.add(authorityIn(secretOf(world.api, AUTHORITY)!)!.signer.certificate);
  }
  expect(authorities.size).toBeGreaterThan(3);
}, 120_000);
