import { request } from '../support/api/request';
import { type ControlPlane, startControlPlane } from '../support/control-plane/control-plane';
import { setUpNetwork, tearDownNetwork } from '../support/network';
import { makeRunFolder } from '../support/run-folder';
import { until } from '../support/until';

let controlPlane: ControlPlane;

beforeAll(async () => {
  await setUpNetwork();
  const folder = await makeRunFolder();
  controlPlane = await startControlPlane(folder.data, folder.logs);
});
afterAll(async () => {
  await controlPlane.close();
  await tearDownNetwork();
});

const get = (path: string) => request(controlPlane.access, 'GET', path) as Promise<{ data: Record<string, string> }>;

test('objects outlive etcd and the API server', async () => {
  await request(controlPlane.access, 'POST', '/api/v1/namespaces/default/configmaps', {
    body: { metadata: { name: 'kept' }, data: { a: '1' } },
  });
  await controlPlane.restartEtcd();
  await until('etcd answers again', () => get('/api/v1/namespaces/default/configmaps/kept'));
  await controlPlane.stopApiServer();
  await expect(get('/api/v1/namespaces/default/configmaps/kept')).rejects.toThrow(/ECONNREFUSED|other side closed/);
  await controlPlane.startApiServer();

  expect((await get('/api/v1/namespaces/default/configmaps/kept')).data).toEqual({ a: '1' });
});

test('a caller without a token is refused', async () => {
  await expect(request({ ...controlPlane.access, token: 'none' }, 'GET', '/api')).rejects.toMatchObject({ code: 401 });
});

test('the controllers run: a new namespace gets its service account and the authority of the API server', async () => {
  await request(controlPlane.access, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'fresh' } } });
  await until('service account', () =>
    request(controlPlane.access, 'GET', '/api/v1/namespaces/fresh/serviceaccounts/default'),
  );
  const published = await until('authority', () => get('/api/v1/namespaces/fresh/configmaps/kube-root-ca.crt'));

  expect(published.data['ca.crt']).toBe(controlPlane.access.ca);
});
