import { readFile } from 'node:fs/promises';
import { SCENARIOS } from '../scenarios';
import { parseScenario, type Scenario } from '../scenarios/scenario';
import { fileFault } from './file-fault';
import { optionList, optionNames } from './option-list';

/**
 * The scenarios of `--scenario`: built-in names, `all` of them, and files `*.json` of the same form. Throws an error that
 * names what there is not, what is wrong in a file, or the name that two have: reports tell scenarios apart by it.
 */
export async function readScenarios(text: string): Promise<Scenario[]> {
  const parts = optionList(text);
  const files = parts.filter((part) => part.endsWith('.json'));
  const named = parts.filter((part) => !part.endsWith('.json'));
  const builtIn =
    named.length === 0 && files.length > 0
      ? []
      : optionNames('--scenario', named, 'scenario', [...SCENARIOS.keys()]).map((name) => SCENARIOS.get(name)!);
  const scenarios = [...builtIn, ...(await Promise.all(files.map(readScenarioFile)))];
  const names = scenarios.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`--scenario ${text}: two scenarios have the name ${twice}`);
  return scenarios;
}

async function readScenarioFile(path: string): Promise<Scenario> {
  try {
    return parseScenario(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`--scenario ${path}: ${fileFault(error)}`);
  }
}
