import { ADAPTER_LOAD_SECONDS } from '../../../../../runtime/endpoint-picker/scheduling/adapter-wait';
import { candidatesWith, scoresOf } from '../../support/candidates-with';

describe('loraAffinity', () => {
  const request = { adapter: 'sql' };

  test('a resident pod has 1, a free slot 0.8, and a slot in use by another the less the dearer it is', () => {
    const candidates = candidatesWith({ adapterSeconds: [0, ADAPTER_LOAD_SECONDS, 2, 5] });
    expect(scoresOf('loraAffinity', candidates, request)).toEqual([1, 0.8, 0.4, expect.closeTo(0.16)]);
  });

  test('a request for the base model is neutral everywhere', () => {
    expect(scoresOf('loraAffinity', candidatesWith({ adapterSeconds: [0, 5] }))).toEqual([0.5, 0.5]);
  });
});
