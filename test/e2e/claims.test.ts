import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type EnvoyFile, envoyResourceFiles } from '../../lib/translate/envoy';
import type { PickRequest } from '../../runtime/endpoint-picker/endpoint-picker';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { type EnvoyProcess, startEnvoyProcess } from '../../runtime/local/envoy-process';
import { type RouterService, startRouterService } from '../../runtime/router/router-service';
import { gatewayState, schedulerState } from '../runtime/endpoint-picker/support/fixtures';
import { chatBody, send } from './support/send';

const OBJECTIVE = 'x-gateway-inference-objective';
const TENANT = 'x-gateway-inference-fairness-id';
const ISSUER = 'https://issuer.test';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const JWKS = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'k' }] });

function token(claims: Readonly<Record<string, string>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss: ISSUER, exp: 4_000_000_000, ...claims })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`;
}

/**
 * The files with Envoy's JWT filter before all others, as Envoy Gateway puts it there: local mode itself checks no tokens.
 * Claims become the headers that `spec.auth.jwt.claims` asks for.
 */
function withJwt(files: readonly EnvoyFile[]): readonly EnvoyFile[] {
  return files.map((file) => {
    if (file.path !== 'listeners.json') return file;
    const response = JSON.parse(file.content);
    const manager = response.resources[0].filter_chains[0].filters[0].typed_config;
    manager.http_filters.unshift({
      name: 'envoy.filters.http.jwt_authn',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
        providers: {
          test: {
            issuer: ISSUER,
            local_jwks: { inline_string: JWKS },
            claim_to_headers: [
              { header_name: OBJECTIVE, claim_name: 'objective' },
              { header_name: TENANT, claim_name: 'team' },
            ],
          },
        },
        rules: [{ match: { prefix: '/' }, requires: { provider_name: 'test' } }],
      },
    });
    return { ...file, content: JSON.stringify(response) };
  });
}

/** A gateway whose picker, a stand-in, notes what it is asked and refuses it. */
describe('where verified claims say who asks', () => {
  const state = {
    ...gatewayState(schedulerState({ objectives: [{ name: 'interactive', priority: 7 }] })),
    claims: true,
  };
  const asked: PickRequest[] = [];
  let folder: string;
  let router: RouterService;
  let envoy: EnvoyProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'igw-claims-'));
    const log = pino({ level: 'silent' });
    router = await startRouterService({
      listen: { path: join(folder, 'router.sock') },
      state,
      connectPickers: async () => ({
        picker: {
          pick(request) {
            asked.push(request);
            return { outcome: 'saturated', retryAfterSeconds: 1 };
          },
        },
        update() {},
        status: () => [],
        waiting: () => [],
        async close() {},
      }),
      log,
    });
    const options = {
      directory: folder,
      admin: { pipe: join(folder, 'admin.sock') },
      processor: { pipe: join(folder, 'router.sock') },
    };
    envoy = await startEnvoyProcess({
      binary: await findEnvoy(),
      workDir: folder,
      adminSocket: join(folder, 'admin.sock'),
      concurrency: 1,
      port: 0,
      files: (port) => withJwt(envoyResourceFiles(state, { ...options, listen: { host: '127.0.0.1', port } })),
      log,
    });
  });
  afterAll(async () => {
    await envoy?.close();
    await router?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    asked.length = 0;
  });

  const ask = (headers: Readonly<Record<string, string>>) =>
    send(`http://127.0.0.1:${envoy.port}`, '/v1/chat/completions', { body: chatBody('llama'), headers });

  const FORGED = {
    [OBJECTIVE]: 'interactive',
    [TENANT]: 'forged',
    'x-llm-d-inference-objective': 'interactive',
    'x-llm-d-inference-fairness-id': 'forged',
  };

  test('the claims are obeyed, and raise the priority', async () => {
    const authorization = `Bearer ${token({ objective: 'interactive', team: 'blue' })}`;
    expect((await ask({ authorization })).status).toBe(429);
    expect(asked).toMatchObject([{ priority: 7, tenant: 'blue' }]);
  });

  test('headers of the client are ignored beside a token that has the claims', async () => {
    await ask({ authorization: `Bearer ${token({ objective: 'none-such', team: 'blue' })}`, ...FORGED });
    expect(asked).toMatchObject([{ priority: 0, tenant: 'blue' }]);
  });

  test('and beside a token that has them not', async () => {
    await ask({ authorization: `Bearer ${token({})}`, ...FORGED });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ priority: 0 });
    expect(asked[0]!.tenant).toBeUndefined();
  });

  test('without a token nothing is asked at all', async () => {
    expect((await ask(FORGED)).status).toBe(401);
    expect(asked).toEqual([]);
  });
});
