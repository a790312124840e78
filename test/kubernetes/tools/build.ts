/** `npm run kubernetes:tools`: makes what `npm run test:kubernetes` runs, where it is not there yet. */
import { SetupError } from '../../../runtime/local/setup-error';
import { ECHO, ensureConformanceTools, INFERENCE_SUITE } from '../../conformance/tools';
import { checkCanRun } from './check-machine';
import { ensureTools } from './ensure-tools';
import { toolsFolder } from './tools-folder';

const say = (line: string) => console.error(`kubernetes:tools: ${line}`);

async function main(): Promise<void> {
  checkCanRun();
  await ensureTools(say);
  await ensureConformanceTools([INFERENCE_SUITE, ECHO], say);
  say(`ready in ${toolsFolder()}`);
}

main().catch((error: unknown) => {
  if (error instanceof SetupError) say(error.message);
  else console.error(error);
  process.exitCode = 1;
});
