import { readFile } from 'node:fs/promises';
import { SCENARIOS } from '../scenarios';
import { parseScenario, type Scenario } from '../scenarios/scenario';
import { optionList, optionNames } from './option-list';

/**
 * The scenarios of `--scenario`: built-in names, `all` of them, and files `*.json` of the same form. Throws an error that
 * names what there is not or what is wrong in a file.
 */
export async function readScenarios(text: string): Promise<Scenario[]> {
  const parts = optionList(text);
  const files = parts.filter((part) => part.endsWith('.json'));
  const named = parts.filter((part) => !part.endsWith('.json'));
  const builtIn =
    named.length === 0 && files.length > 0
      ? []
      : optionNames('--scenario', named, 'scenario', [...SCENARIOS.keys()]).map((name) => SCENARIOS.get(name)!);
  return [...builtIn, ...(await Promise.all(files.map(readScenarioFile)))];
}

async function readScenarioFile(path: string): Promise<Scenario> {
  try {
    return parseScenario(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`--scenario ${path}: ${(error as Error).message}`);
  }
}
