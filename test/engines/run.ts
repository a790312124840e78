/**
 * The suite against real engines: `npm run test:engines`. Installs vLLM for the CPU on first use, starts two servers of
 * a tiny model one after the other, and runs the tests against them; arguments go to jest.
 *
 * Where the machine or its network cannot do that, the reason is printed and the exit code is 0; with REQUIRE_ENGINES=1
 * in the environment it is 1.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freeAddresses } from '../e2e/support/free-addresses';
import { freePorts } from './support/free-ports';
import { installVllm, VLLM_VERSION } from './support/install-vllm';
import { checkMachine } from './support/machine';
import { Skip } from './support/skip';
import { startVllm, type VllmAddress, type VllmServer } from './support/vllm-server';

const ROOT = join(__dirname, '..', '..');
const HOME = join(ROOT, '.cache', 'vllm');
const MAKE_MODEL = join(__dirname, 'support', 'make_model.py');
const SERVERS = 2;

const say = (line: string) => console.error(`test:engines: ${line}`);

async function main(): Promise<number> {
  await checkMachine(HOME);
  const python = await installVllm(HOME, say);
  const files = await mkdtemp(join(tmpdir(), 'igw-engines-'));
  const servers: VllmServer[] = [];
  try {
    await promisify(execFile)(python, [MAKE_MODEL, files]);
    const addresses = await serverAddresses();
    // One after the other: the start takes more of a machine than all that follows.
    for (const [index, address] of addresses.entries()) {
      say(`starting vLLM ${VLLM_VERSION}, ${index + 1} of ${SERVERS}, at ${address.host}:${address.port}`);
      servers.push(await startVllm(python, files, address));
    }
    return await runJest(addresses);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await rm(files, { recursive: true, force: true });
  }
}

/** One port on addresses of their own, as the pods of a scheduler have. */
async function serverAddresses(): Promise<readonly VllmAddress[]> {
  const { hosts, port } = await freeAddresses(SERVERS);
  const ports = await freePorts(2 * SERVERS);
  return hosts.map((host, index) => ({
    host,
    port,
    kvEventsPort: ports[2 * index]!,
    kvReplayPort: ports[2 * index + 1]!,
  }));
}

function runJest(servers: readonly VllmAddress[]): Promise<number> {
  const jest = join(ROOT, 'node_modules', '.bin', 'jest');
  const args = ['-c', join(__dirname, 'jest.config.json'), '--runInBand', ...process.argv.slice(2)];
  return new Promise((resolve, reject) => {
    const child = spawn(jest, args, {
      stdio: 'inherit',
      env: { ...process.env, VLLM_SERVERS: JSON.stringify(servers) },
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const required = process.env.REQUIRE_ENGINES === '1';
    process.exitCode = error instanceof Skip && !required ? 0 : 1;
    if (error instanceof Skip) say(`${required ? 'FAILED' : 'SKIPPED'}, no test was run: ${error.message}`);
    else console.error(error);
  },
);
