import { INFERENCE_GATEWAY_CONFIG_RULES } from '../../../../lib/api/inference-gateway-config/rules';
import { checkRules } from '../../../../lib/api/validation/rule';
import { gatewayConfig, type Json, refusals, scheduler } from '../support/manifests';
import { RULE_EXAMPLES } from '../support/rule-examples';

test('each rule has an example', () => {
  expect(Object.keys(RULE_EXAMPLES).sort()).toEqual(INFERENCE_GATEWAY_CONFIG_RULES.map(({ name }) => name).sort());
});

describe.each(INFERENCE_GATEWAY_CONFIG_RULES)('$name', (rule) => {
  const { broken, path } = RULE_EXAMPLES[rule.name]!;

  test('refuses its example at the offending field, and no other rule does', () => {
    expect(refusals(broken)).toEqual([
      expect.stringMatching(new RegExp(`^${escaped(path)}: ${escaped(rule.message)}`)),
    ]);
  });

  test('is evaluated although other fields are wrong', () => {
    const spec = { ...(broken.spec as Json), unknownField: 1, podDefaults: 'wrong' };
    const found = refusals({ ...broken, spec });
    expect(found).toHaveLength(3);
    expect(found).toContainEqual(expect.stringContaining(rule.message));
  });

  test('says nothing about a sound object, nor about values of the wrong type', () => {
    expect(checkRules([rule], gatewayConfig())).toEqual([]);
    for (const wrong of [null, 1, 'text', [], {}, [null], { bbr: 1, schedulers: {} }, { schedulers: [null, 1] }]) {
      expect(checkRules([rule], { spec: wrong })).toEqual([]);
    }
  });
});

test('the message about BBR begins with the text of the published contract', () => {
  const { broken } = RULE_EXAMPLES['bbr-enabled-with-several-schedulers']!;
  expect(refusals(broken)[0]).toContain('bbr must be enabled when more than one scheduler is defined');
});

test('a duplicate names the other place', () => {
  const schedulers = [scheduler(), scheduler({ name: 'b' }), scheduler({ name: 'c' })];
  expect(refusals(gatewayConfig({ schedulers }))).toEqual([
    expect.stringMatching(/^spec\.schedulers\[1\]\.modelName: .*"llama-8b" is also spec\.schedulers\[0\]\.modelName/),
    expect.stringMatching(/^spec\.schedulers\[2\]\.modelName: .*"llama-8b" is also spec\.schedulers\[0\]\.modelName/),
  ]);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
