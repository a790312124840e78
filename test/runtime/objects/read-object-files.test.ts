import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readObjectFiles } from '../../../runtime/objects/read-object-files';

describe('readObjectFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'objects-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const put = async (name: string, text: string) => {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  };

  it('reads a folder and those below it, sorted, without hidden and other files', async () => {
    await put('b.yml', 'n: 2');
    await put('a.yaml', 'n: 1');
    await put('c/d.json', '{"n": 3}');
    await put('.hidden.yaml', 'n: 0');
    await put('.git/x.yaml', 'n: 0');
    await put('README.md', '# n: 0');
    const { objects, faults } = await readObjectFiles([folder]);
    expect(objects.map(({ value }) => value)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(faults).toEqual([]);
  });

  it('reads a file that is named itself whatever its name, and once only', async () => {
    const path = await put('objects.txt', 'n: 1');
    expect((await readObjectFiles([path, path])).objects).toHaveLength(1);
  });

  it('follows links as a mounted ConfigMap has them', async () => {
    await put('..2024/a.yaml', 'n: 1');
    await symlink('..2024', join(folder, '..data'));
    await symlink('..data/a.yaml', join(folder, 'a.yaml'));
    const { objects } = await readObjectFiles([folder]);
    expect(objects.map(({ source, value }) => [source, value])).toEqual([[join(folder, 'a.yaml'), { n: 1 }]]);
  });

  it('ends at a link to a parent', async () => {
    await symlink('.', join(folder, 'loop'));
    await expect(readObjectFiles([folder])).rejects.toThrow(/folders deep/);
  });

  it('names the path that is missing', async () => {
    await expect(readObjectFiles([join(folder, 'nowhere')])).rejects.toThrow(/nowhere: no such file or folder/);
  });

  it('gives faults with file and line', async () => {
    const path = await put('a.yaml', 'a: 1\na: 2\n');
    expect((await readObjectFiles([folder])).faults).toEqual([expect.stringContaining(`${path}:2: `)]);
  });
});
