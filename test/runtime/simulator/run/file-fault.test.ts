import { readFile } from 'node:fs/promises';
import { fileFault } from '../../../../runtime/simulator/run/file-fault';

const faultOf = (work: Promise<unknown>) => work.then(() => '', fileFault);

test('a file that is not there, a folder and text that is no JSON are told in words', async () => {
  expect(await faultOf(readFile('/no-such-file'))).toBe('no such file');
  expect(await faultOf(readFile(__dirname))).toBe('is a folder, not a file');
  expect(await faultOf(Promise.resolve('{').then(JSON.parse))).toMatch(/^is not JSON: /);
});

test('any other error says what it said', () => {
  expect(fileFault(new Error('line 3: too long'))).toBe('line 3: too long');
});
