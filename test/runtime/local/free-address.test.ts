import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { assertFree } from '../../../runtime/local/free-address';
import { SetupError } from '../../../runtime/local/setup-error';

test('a taken address is refused with one line that says what to do', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  await expect(assertFree('127.0.0.1', port)).rejects.toEqual(
    new SetupError(`127.0.0.1:${port} is in use; free it or choose another with --listen`),
  );
  server.close();
});

test('an address that this machine does not have is refused', async () => {
  await expect(assertFree('192.0.2.1', 8080)).rejects.toThrow(
    'this machine has no address 192.0.2.1; choose one of its own with --listen',
  );
});

test('a free address stays free', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  await assertFree('127.0.0.1', port);

  await assertFree('127.0.0.1', port);
});
