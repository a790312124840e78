import { parseFleet } from '../../../../runtime/simulator/tune/fleet-file';

test('every pod has the parameters of its profile, but for those that are overridden', () => {
  const pods = parseFleet(`
fleet:
  - { profile: llama-8b-h100, pods: 2 }
  - { profile: llama-8b-a10g, pods: 1, overrides: { kvTokens: 20000 } }
`);
  expect(pods.map(({ parameters, absent }) => [parameters.maxNumSeqs, parameters.kvTokens, absent])).toEqual([
    [1024, pods[0]!.parameters.kvTokens, false],
    [1024, pods[0]!.parameters.kvTokens, false],
    [256, 20000, false],
  ]);
});

test.each([
  ['fleet: []', 'fleet'],
  ['fleet: [{ profile: none, pods: 1 }]', 'fleet[0].profile'],
  ['fleet: [{ profile: llama-8b-h100, pods: 0 }]', 'fleet[0].pods'],
  ['fleet: [{ profile: llama-8b-h100, pods: 1 }]\nrate: 3', 'rate'],
  ['', 'object'],
])('%j is refused with the name of what is wrong', (text, message) => {
  expect(() => parseFleet(text)).toThrow(message);
});
