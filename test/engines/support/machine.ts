import { existsSync } from 'node:fs';
import { mkdir, readFile, statfs } from 'node:fs/promises';
import { Skip } from './skip';

const GIB = 2 ** 30;

/** Two servers of 3.8 GiB, and the gateway. */
const MEMORY = 8 * GIB;
/** The virtual environment has 5.8 GiB; what is fetched lies beside it until it is complete. */
const DISK = 14 * GIB;

/** Rejects with `Skip` where two vLLM servers cannot run. `home`: the folder of the installation, made if need be. */
export async function checkMachine(home: string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Skip(
      `vLLM for the CPU is installed for linux on x64 only, this is ${process.platform} on ${process.arch}`,
    );
  }
  if (!/^flags\s*:.*\bavx2\b/m.test(await readFile('/proc/cpuinfo', 'utf8'))) {
    throw new Skip('the CPU has neither AVX2 nor AVX-512');
  }
  const available = Number(/^MemAvailable:\s+(\d+) kB/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]) * 1024;
  if (!(available >= MEMORY)) throw new Skip(`${gib(available)} of memory are free, ${gib(MEMORY)} are needed`);
  if (existsSync(home)) return;
  await mkdir(home, { recursive: true });
  const { bavail, bsize } = await statfs(home);
  if (bavail * bsize < DISK) throw new Skip(`${gib(bavail * bsize)} are free at ${home}, ${gib(DISK)} are needed`);
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
