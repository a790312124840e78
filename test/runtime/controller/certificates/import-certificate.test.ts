import {
  deleteImportedCertificate,
  importCertificate,
} from '../../../../runtime/controller/certificates/import-certificate';
import { manualClock } from '../support/manual-clock';
import { MemoryStore } from './support/memory-store';

const TAGS = { gateway: 'models/gw' };
const material = (certificate: string) => ({ certificate, key: 'key' });
const clock = manualClock();
const options = { clock, random: () => 0.5, signal: new AbortController().signal };

test('at first it is imported with its tags, then under the same name', async () => {
  const store = new MemoryStore();
  const arn = await importCertificate(store, material('first'), { arn: undefined, tags: TAGS }, options);
  expect(await importCertificate(store, material('second'), { arn, tags: TAGS }, options)).toBe(arn);
  expect([...store.imported.values()]).toEqual([{ material: material('second'), tags: TAGS }]);
});

test('one whose name was lost is found again by its tags', async () => {
  const store = new MemoryStore();
  const arn = await store.import(material('first'), { tags: TAGS });
  expect(await importCertificate(store, material('second'), { arn: undefined, tags: TAGS }, options)).toBe(arn);
  expect(store.imported.size).toBe(1);
});

test('one that somebody has deleted is imported anew', async () => {
  const store = new MemoryStore();
  const arn = await importCertificate(store, material('first'), { arn: 'arn:gone', tags: TAGS }, options);
  expect(arn).not.toBe('arn:gone');
  expect(store.imported.get(arn)).toEqual({ material: material('first'), tags: TAGS });
});

test('what passes is tried again, with longer and longer waits', async () => {
  const store = new MemoryStore();
  store.faults.push('Unavailable', 'Unavailable', 'Unavailable');
  const start = clock.now();
  await importCertificate(store, material('first'), { arn: undefined, tags: TAGS }, options);
  expect(store.imported.size).toBe(1);
  // 0.75 of 0.5, 1 and 2 s.
  expect(clock.now() - start).toBe(2_625);
});

test.each([
  ['Unavailable', 6],
  ['Denied', 1],
  ['Invalid', 1],
] as const)('%s is given up after %i tries', async (reason, tries) => {
  const store = new MemoryStore();
  store.faults.push(...Array.from({ length: 20 }, () => reason));
  const attempt = importCertificate(store, material('first'), { arn: 'arn', tags: TAGS }, options);
  await expect(attempt).rejects.toMatchObject({ reason });
  expect(store.calls).toHaveLength(tries);
});

test('who may not look for it may import it all the same', async () => {
  const store = new MemoryStore();
  store.faults.push('Denied');
  await importCertificate(store, material('first'), { arn: undefined, tags: TAGS }, options);
  expect(store.calls).toEqual(['find', 'import']);
});

test('one in use is not deleted, and who asks is told', async () => {
  const store = new MemoryStore();
  const arn = await store.import(material('first'), { tags: TAGS });
  store.inUse.add(arn);
  await expect(deleteImportedCertificate(store, arn, options)).rejects.toMatchObject({ reason: 'InUse' });
  store.inUse.clear();
  store.faults.push('Unavailable');
  await deleteImportedCertificate(store, arn, options);
  expect(store.imported.size).toBe(0);
});

test('it ends with its signal', async () => {
  const store = new MemoryStore();
  const signal = AbortSignal.abort(new Error('over'));
  await expect(deleteImportedCertificate(store, 'arn', { ...options, signal })).rejects.toThrow('over');
  expect(store.calls).toEqual([]);
});
