import { startTestGateway, type TestGateway } from './support/gateway';
import { chatBody, send } from './support/send';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: [
      { name: 'a', scheduler: 'llama' },
      { name: 'b', scheduler: 'llama' },
    ],
  });
});
afterAll(() => gateway?.close());
test('works', async () => {
  const r = await send(gateway.url, '/v1/chat/completions', { body: chatBody('llama') });
  console.log(r.status, r.headers, r.body.toString());
  expect(r.status).toBe(200);
});
