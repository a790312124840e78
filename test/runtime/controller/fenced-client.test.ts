import { fencedClient, NotLeading } from '../../../runtime/controller/fenced-client';
import { CONFIGS, SERVICES } from './support/bench';
import { MemoryApi } from './support/memory-api';

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'team' } };

test('writes while it leads, and none after; reads as before', async () => {
  const api = new MemoryApi();
  let leads = true;
  const client = fencedClient(api, () => leads);
  await client.apply(SERVICES, service, { fieldManager: 'm' });
  leads = false;

  await expect(client.apply(SERVICES, service, { fieldManager: 'm' })).rejects.toThrow(NotLeading);
  await expect(client.create(SERVICES, service)).rejects.toThrow(NotLeading);
  await expect(client.replace(SERVICES, service)).rejects.toThrow(NotLeading);
  await expect(client.delete(SERVICES, 'a', 'team')).rejects.toThrow(NotLeading);
  expect(await client.get(SERVICES, 'a', 'team')).toBeDefined();
  expect((await client.list(CONFIGS, {})).items).toEqual([]);
  expect(api.writes).toEqual(['apply Service team/a']);
});
