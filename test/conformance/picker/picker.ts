/**
 * The picker that the suites' images stand for: the program behind `lwepp` in the manifests. It watches one InferencePool
 * and the pods of its namespace, and picks for it as upstream's tests tell it to.
 */
import { randomBytes } from 'node:crypto';
import type { GatewayState } from '../../../lib/translate/gateway-state';
import { issueAuthority } from '../../../runtime/controller/certificates/issue';
import { newKeyPair } from '../../../runtime/controller/certificates/key-pair';
import { openAccess } from '../../../runtime/kubernetes/access';
import { systemClock as clock } from '../../../runtime/kubernetes/clock';
import { createHttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import { startInformer } from '../../../runtime/kubernetes/informer';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { createLogger } from '../../../runtime/telemetry/log';
import { pickerFlags } from './picker-flags';
import { type InferencePool, poolState } from './pool-state';
import { servePicker } from './serve-picker';

const DAY_MS = 86_400_000;
const log = createLogger('conformance-picker', 'info');

async function main(): Promise<void> {
  const flags = pickerFlags(process.argv.slice(2));
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());
  const { signal } = ending;
  const client = createHttpApiClient({ access: await openAccess({ clock, log }), random: Math.random, clock });
  const follow = (apiVersion: string, kind: string, fieldSelector?: string) =>
    startInformer({
      ...{ client, clock, log, signal, random: Math.random, onSync: refresh, onChange: refresh },
      resource: resourceOf(apiVersion, kind),
      selection: { namespace: flags.poolNamespace, ...(fieldSelector && { fieldSelector }) },
    });

  let state: GatewayState | undefined;
  const pools = follow('inference.networking.k8s.io/v1', 'InferencePool', `metadata.name=${flags.poolName}`);
  const pods = follow('v1', 'Pod');
  function refresh(): void {
    const pool = pools.get(flags.poolName, flags.poolNamespace) as InferencePool | undefined;
    state = pool && pods.state() === 'synced' ? poolState(pool, pods.list()) : undefined;
  }
  const picker = await servePicker({
    state: () => state,
    listen: { host: '0.0.0.0', port: flags.grpcPort },
    health: { host: '0.0.0.0', port: flags.healthPort },
    tls: await selfSigned(),
    onError: (err) => log.error({ err }, 'a request failed'),
  });
  log.info(flags, 'serving');
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  await picker.close();
  await client.close();
}

/** Gateways do not verify it. */
async function selfSigned(): Promise<{ cert: string; key: string }> {
  const [notBefore, notAfter] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
  const serial = randomBytes(8).toString('hex');
  const request = { commonName: 'conformance-picker', notBefore, notAfter, serial };
  const { certificate, key } = await issueAuthority(request, await newKeyPair());
  return { cert: certificate, key };
}

main().catch((error: unknown) => {
  log.error({ err: error }, 'ended');
  process.exitCode = 1;
});
