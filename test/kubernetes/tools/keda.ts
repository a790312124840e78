import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './run-command';
import type { Tool } from './tool';

const MODULE = 'github.com/kedacore/keda/v2';
const VERSION = 'v2.21.0';
const SUM = 'h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=';

const SCALERS = join('pkg', 'scalers');
const BUILDER = join('pkg', 'scaling', 'scalers_builder.go');
const SCALER = 'prometheus_scaler.go';
/** What the scaler that stays has from one that goes. */
const CONSTANT = 'package scalers\n\nconst externalMetricType = "External"\n';
const ONE_SCALER = '$1\tcase "prometheus":\n\t\treturn scalers.NewPrometheusScaler(config)\n$2';

/**
 * KEDA's operator, and its manifests. It is built in a copy of its own module, from which all scalers but Prometheus' are
 * taken away: with the libraries of all seventy it would take longer than all other tools together.
 */
export const kedaTools: readonly Tool[] = [
  {
    name: 'keda',
    stamp: `${VERSION} prometheus`,
    async make(target) {
      const work = await mkdtemp(join(dirname(target), '.keda-'));
      try {
        await copyModule('.', work);
        await keepOneScaler(work);
        await runCommand('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, './cmd/operator'], {
          cwd: work,
          env: { ...process.env, CGO_ENABLED: '0' },
        });
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    },
  },
  { name: 'keda-manifests', stamp: VERSION, make: (target) => copyModule('config', target) },
];

async function copyModule(folder: string, target: string): Promise<void> {
  const told = await runCommand('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], { cwd: '/' });
  const { Dir, Sum } = JSON.parse(told) as { Dir: string; Sum: string };
  if (Sum !== SUM) throw new Error(`${MODULE} ${VERSION} is not what it was: its sum is ${Sum}.`);
  await cp(join(Dir, folder), target, { recursive: true });
  // The files of a module are read-only.
  await runCommand('chmod', ['-R', 'u+w', target]);
}

async function keepOneScaler(folder: string): Promise<void> {
  const scalers = join(folder, SCALERS);
  for (const file of await readdir(scalers)) {
    if (file.endsWith('_scaler.go') && file !== SCALER) await rm(join(scalers, file));
  }
  await writeFile(join(scalers, 'constant.go'), CONSTANT);
  const builder = join(folder, BUILDER);
  const text = await readFile(builder, 'utf8');
  const shorter = text.replace(/(\tswitch triggerType \{\n).*?(\tdefault:)/s, ONE_SCALER);
  if (shorter === text) throw new Error(`${BUILDER} of KEDA ${VERSION} does not choose a scaler as it did.`);
  await writeFile(builder, shorter);
}
