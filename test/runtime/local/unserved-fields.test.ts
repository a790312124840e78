import { unservedFields } from '../../../runtime/local/unserved-fields';
import { parseYamlDocuments } from '../../../runtime/objects/yaml-documents';

const warnings = (text: string) => unservedFields(parseYamlDocuments(text, 'gateway.yaml').objects);

test('a gateway that asks for tokens and TLS is told that local mode has neither', () => {
  const text =
    'kind: InferenceGatewayConfig\nspec:\n  tls: {}\n  auth:\n    jwt:\n      provider: {}\n      claims: {}\n';
  expect(warnings(text)).toEqual([
    'gateway.yaml:5 spec.auth.jwt: local mode checks no tokens: whoever reaches the address is let in',
    'gateway.yaml:7 spec.auth.jwt.claims: local mode reads no claims: every request has priority 0, and none has a tenant',
    'gateway.yaml:3 spec.tls: local mode serves HTTP without TLS',
  ]);
});

test('nothing is said of what asks for neither', () => {
  expect(warnings('kind: InferenceGatewayConfig\nspec:\n  tls:\n  auth: {}\n')).toEqual([]);
  expect(warnings('kind: Pod\nspec:\n  tls: {}\n')).toEqual([]);
});
