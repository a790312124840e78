import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** In a process of its own: inside jest its WebAssembly cannot be loaded. */
const PROGRAM = `
const { LuaFactory } = require(process.argv[1]);
async function main() {
  const lua = await new LuaFactory().createEngine();
  process.stdout.write(JSON.stringify(await lua.doString(process.argv[2])));
  lua.global.close();
}
main();`;

/** What a script returns for which Argo CD's `obj` is `object`. */
export async function runHealthScript(script: string, object: unknown): Promise<unknown> {
  const source = `local obj = ${literal(object)}\n${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM, require.resolve('wasmoon'), source]);
  return JSON.parse(stdout);
}

/** As a table of Lua: Argo CD gives plain tables too. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(literal).join(', ')}}`;
  if (value === undefined || value === null) return 'nil';
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `[${JSON.stringify(name)}] = ${literal(field)}`);
  return `{${fields.join(', ')}}`;
}
