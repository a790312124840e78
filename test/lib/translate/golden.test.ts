import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { compileGatewayState } from '../../../lib/translate/compile-gateway-state';
import { envoyResourceFiles } from '../../../lib/translate/envoy';
import { parseYamlDocuments } from '../../../runtime/objects/yaml-documents';
import { ENVOY_OPTIONS } from './builders';

/**
 * Each `golden/in/<case>.yaml` compiles to `golden/out/<case>.yaml`: a new case is a file and a run with
 * UPDATE_GOLDEN=1, which writes the outputs anew.
 */
const FOLDER = join(__dirname, 'golden');
const CASES = readdirSync(join(FOLDER, 'in'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

function outputOf(name: string): unknown {
  const { objects, faults } = parseYamlDocuments(
    readFileSync(join(FOLDER, 'in', `${name}.yaml`), 'utf8'),
    `${name}.yaml`,
  );
  expect(faults).toEqual([]);
  const compiled = compileGatewayState(objects);
  if ('faults' in compiled) return compiled;
  const files = envoyResourceFiles(compiled.state, ENVOY_OPTIONS).filter(({ path }) =>
    /^(clusters|routes|endp)/.test(path),
  );
  const envoy = Object.fromEntries(files.map(({ path, content }) => [path, JSON.parse(content).resources]));
  return { ...compiled, envoy };
}

describe('golden', () => {
  it.each(CASES)('%s', (name) => {
    const path = join(FOLDER, 'out', `${name}.yaml`);
    const output = outputOf(name);
    if (process.env.UPDATE_GOLDEN === '1')
      writeFileSync(path, stringify(output, { lineWidth: 0, aliasDuplicateObjects: false }));
    expect(output).toEqual(parse(readFileSync(path, 'utf8')));
  });
});
