import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directorySource } from '../../../runtime/objects/directory-source';

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\n`;

describe('directorySource', () => {
  let folder: string;
  let stop: AbortController;
  let ended: Promise<void> | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'objects-'));
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  /** Calls back with what the source told, in order: names of pods, or the text of a fault. */
  const follow = (options: { pollMs: number }) => {
    const told: string[] = [];
    const waiting: Array<(text: string) => void> = [];
    const tell = (text: string) => {
      const next = waiting.shift();
      if (next) next(text);
      else told.push(text);
    };
    ended = directorySource([folder], { settleMs: 5, ...options }).watch(
      ({ objects }) =>
        tell(objects.map(({ value }) => (value as { metadata: { name: string } }).metadata.name).join(',')),
      (fault) => tell(`fault: ${fault.message}`),
      stop.signal,
    );
    return async () => told.shift() ?? new Promise<string>((resolve) => waiting.push(resolve));
  };
  const put = (name: string, text: string) => writeFile(join(folder, name), text);
  const replace = async (name: string, text: string) => {
    await put(`.${name}.next`, text);
    await rename(join(folder, `.${name}.next`), join(folder, name));
  };

  // A poll that is never due in a test shows that the event alone was enough, and the reverse.
  const EVENTS = { pollMs: 1_000_000 };
  const POLL = { pollMs: 10 };

  it('gives the first set, then each edit', async () => {
    await put('a.yaml', pod('a'));
    const next = follow(EVENTS);
    expect(await next()).toBe('a');
    await put('b.yaml', pod('b'));
    expect(await next()).toBe('a,b');
    await unlink(join(folder, 'a.yaml'));
    expect(await next()).toBe('b');
  });

  it('sees a file that an editor replaces', async () => {
    await put('a.yaml', pod('a'));
    const next = follow(EVENTS);
    await next();
    await replace('a.yaml', pod('c'));
    expect(await next()).toBe('c');
  });

  it('sees a mounted ConfigMap whose link is switched', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'mounted-'));
    await writeFile(join(outside, '1'), pod('one'));
    await writeFile(join(outside, '2'), pod('two'));
    await symlink(join(outside, '1'), join(folder, '..data'));
    await symlink('..data', join(folder, 'a.yaml'));
    const next = follow(POLL);
    expect(await next()).toBe('one');
    await symlink(join(outside, '2'), join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
    expect(await next()).toBe('two');
    await rm(outside, { recursive: true });
  });

  it('keeps the last good set while a file has a fault, and tells each fault once', async () => {
    await put('a.yaml', pod('a'));
    const next = follow(POLL);
    await next();
    await replace('a.yaml', 'a: [');
    expect(await next()).toMatch(/^fault: .*a\.yaml:1: /);
    await replace('b.yaml', pod('b'));
    await replace('a.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {}\n');
    expect(await next()).toMatch(/^fault: .*a\.yaml:3 metadata/);
    await replace('a.yaml', pod('a'));
    expect(await next()).toBe('a,b');
  });

  it('does not give the same content again', async () => {
    await put('a.yaml', pod('a'));
    const next = follow(POLL);
    await next();
    await replace('a.yaml', pod('a'));
    await replace('a.yaml', 'a: [');
    expect(await next()).toMatch(/^fault/);
    await replace('a.yaml', pod('a'));
    await replace('b.yaml', pod('b'));
    expect(await next()).toBe('a,b');
  });

  it('tells that a path is missing, and goes on when it appears', async () => {
    await rm(folder, { recursive: true });
    const next = follow(POLL);
    expect(await next()).toMatch(/no such file or folder/);
    const { mkdir } = await import('node:fs/promises');
    await mkdir(folder);
    await put('a.yaml', pod('a'));
    expect(await next()).toMatch(/^(a|)$/);
  });

  it('ends when it is told to', async () => {
    const next = follow(EVENTS);
    await next();
    stop.abort();
    await expect(ended).resolves.toBeUndefined();
  });
});
