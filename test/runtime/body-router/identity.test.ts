import fc from 'fast-check';
import { IDENTITY_HEADERS } from '../../../lib/translate/envoy/control-headers';
import type { FlowControlState } from '../../../lib/translate/gateway-state';
import { CONTROL_HEADERS } from '../../../runtime/body-router/control-headers';
import { requestIdentity } from '../../../runtime/body-router/identity';

const OBJECTIVE = 'x-gateway-inference-objective';
const OBJECTIVE_ALIAS = 'x-llm-d-inference-objective';
const TENANT = 'x-gateway-inference-fairness-id';
const TENANT_ALIAS = 'x-llm-d-inference-fairness-id';

const objectives = [
  { name: 'urgent', priority: 100 },
  { name: 'batch', priority: -10 },
  { name: 'plain', priority: 0 },
  { name: 'extreme', priority: Number.MAX_SAFE_INTEGER },
  { name: 'abyss', priority: Number.MIN_SAFE_INTEGER },
];
const band = { ttlMs: 1, maxRequests: 1, maxBytes: 1 };
const flowControl = (trustClientHeaders: boolean): FlowControlState => ({
  bands: { critical: band, standard: band, sheddable: band },
  maxBytes: 1,
  maxTenants: 1,
  trustClientHeaders,
});

const CLAIMS = { claims: true };
const untrusted = { objectives, flowControl: flowControl(false) };
const trusting = { objectives, flowControl: flowControl(true) };

const identity = (headers: Readonly<Record<string, string>>, state = {}, scheduler: object = untrusted) =>
  requestIdentity(new Map(Object.entries(headers)), state, scheduler);

describe('the priority', () => {
  test('of a client that is not trusted is lowered by its objective, and never raised', () => {
    expect(identity({ [OBJECTIVE]: 'batch' }).priority).toBe(-10);
    expect(identity({ [OBJECTIVE]: 'urgent' }).priority).toBe(0);
    expect(identity({ [OBJECTIVE]: 'urgent' }, {}, { objectives }).priority).toBe(0);
  });

  test('of a trusted client, and of verified claims, is that of the objective', () => {
    expect(identity({ [OBJECTIVE]: 'urgent' }, {}, trusting).priority).toBe(100);
    expect(identity({ [OBJECTIVE]: 'urgent' }, CLAIMS).priority).toBe(100);
    expect(identity({ [OBJECTIVE]: 'batch' }, CLAIMS).priority).toBe(-10);
  });

  test('is 0 where no objective is named, or none that the scheduler has', () => {
    expect(identity({}, {}, trusting)).toEqual({ priority: 0 });
    for (const name of ['', 'nobody', 'URGENT', 'urgent,urgent', '__proto__', '100']) {
      expect(identity({ [OBJECTIVE]: name }, {}, trusting).priority).toBe(0);
    }
    expect(identity({ [OBJECTIVE]: 'urgent' }, CLAIMS, {}).priority).toBe(0);
  });

  test('is an int32', () => {
    expect(identity({ [OBJECTIVE]: 'extreme' }, CLAIMS).priority).toBe(2_147_483_647);
    expect(identity({ [OBJECTIVE]: 'abyss' }).priority).toBe(-2_147_483_648);
  });
});

describe('the two names of a header', () => {
  test('the one of llm-d wins where a client sends both', () => {
    const both = { [OBJECTIVE]: 'urgent', [OBJECTIVE_ALIAS]: 'batch', [TENANT]: 'a', [TENANT_ALIAS]: 'b' };
    expect(identity(both, {}, trusting)).toEqual({ priority: -10, tenant: 'b' });
    expect(identity({ [OBJECTIVE_ALIAS]: 'urgent', [TENANT_ALIAS]: 'b' }, {}, trusting)).toEqual({
      priority: 100,
      tenant: 'b',
    });
  });

  test('with claims only the one that Envoy writes is read', () => {
    const forged = { [OBJECTIVE_ALIAS]: 'urgent', [TENANT_ALIAS]: 'b' };
    expect(identity(forged, CLAIMS)).toEqual({ priority: 0 });
    expect(identity({ ...forged, [OBJECTIVE]: 'batch', [TENANT]: 'a' }, CLAIMS)).toEqual({
      priority: -10,
      tenant: 'a',
    });
  });
});

describe('the tenant', () => {
  test('of up to 256 bytes is itself', () => {
    expect(identity({ [TENANT]: 'é'.repeat(128) }).tenant).toBe('é'.repeat(128));
  });

  test('a longer one is a digest, so that two that begin alike stay apart', () => {
    const [one, other] = ['a', 'b'].map((end) => identity({ [TENANT]: 'é'.repeat(128) + end }).tenant);
    expect(one).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(other).not.toBe(one);
  });
});

const value = fc.oneof(fc.constantFrom('urgent', 'extreme', 'batch', 'abyss', ' urgent', 'urgent, batch'), fc.string());
const headers = fc.dictionary(fc.oneof(fc.constantFrom(...CONTROL_HEADERS), fc.string()), value);

test('whatever an untrusted client sends, its priority is never above 0 and its tenant is short', () => {
  fc.assert(
    fc.property(headers, fc.string({ minLength: 200, maxLength: 2_000 }), (sent, long) => {
      const found = identity({ [TENANT]: long, ...sent });
      expect(found.priority).toBeLessThanOrEqual(0);
      expect(Buffer.byteLength(found.tenant ?? '')).toBeLessThanOrEqual(256);
    }),
  );
});

test('with claims nothing that Envoy leaves of a client says anything', () => {
  fc.assert(
    fc.property(headers, (sent) => {
      const left = Object.fromEntries(Object.entries(sent).filter(([name]) => !IDENTITY_HEADERS.includes(name)));
      expect(identity(left, CLAIMS)).toEqual({ priority: 0 });
    }),
  );
});

test('no identity header reaches a pod', () => {
  expect(CONTROL_HEADERS).toEqual(expect.arrayContaining([...IDENTITY_HEADERS]));
});
