import { DESTINATION_ENDPOINT_HEADER, SERVED_ENDPOINT_HEADER } from '../../../../lib/translate/envoy/control-headers';
import { DESTINATION_HEADERS } from '../../../../runtime/inference-pools/xds/destination-headers';

test('what a picker says and what it is told is nothing that a client may say, by either of its names', () => {
  const said = [DESTINATION_ENDPOINT_HEADER, SERVED_ENDPOINT_HEADER, `${DESTINATION_ENDPOINT_HEADER}-subset`];
  const byOtherName = said.map((name) => name.replace('x-gateway-', 'x-llm-d-'));

  expect(DESTINATION_HEADERS).toEqual(expect.arrayContaining([...said, ...byOtherName]));
});

test('names are as Envoy compares them, each once', () => {
  expect(DESTINATION_HEADERS.map((name) => name.toLowerCase())).toEqual(DESTINATION_HEADERS);
  expect(new Set(DESTINATION_HEADERS).size).toBe(DESTINATION_HEADERS.length);
});
