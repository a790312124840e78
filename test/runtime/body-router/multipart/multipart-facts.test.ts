import fc from 'fast-check';
import { spliceBody } from '../../../../runtime/body-router/body/splice';
import { runNow } from '../../../../runtime/body-router/body/turns';
import { multipartFacts } from '../../../../runtime/body-router/multipart/multipart-facts';
import { bodyFrom, cuts, textOf } from '../fixtures';

const TYPE = 'multipart/form-data; boundary=xyz';
const field = (name: string, value: string) =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE =
  '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n\0\xff--xy\r\n\r\n';

function read(text: string, contentType = TYPE, at: readonly number[] = []) {
  return runNow(multipartFacts(bodyFrom(Buffer.from(text, 'latin1'), at), contentType));
}

test('finds the model before or after a file, in any chunks', () => {
  const model = field('model', 'whisper');
  fc.assert(
    fc.property(fc.constantFrom(model + FILE, FILE + model), fc.array(fc.nat(), { maxLength: 20 }), (parts, at) => {
      expect(read(`${parts}--xyz--\r\n`, TYPE, at)).toMatchObject({ model: { name: 'whisper' } });
    }),
  );
});

test('a splice replaces the value alone', () => {
  fc.assert(
    fc.property(cuts(), (at) => {
      const text = `${field('model', 'whisper')}${field('language', 'whisper')}--xyz--`;
      const body = bodyFrom(text, at);
      const facts = runNow(multipartFacts(body, TYPE));
      if ('refusal' in facts) throw new Error(facts.refusal);
      const { spans, encode } = facts.model!;
      expect(textOf(spliceBody(body, spans, encode('large')))).toBe(text.replace('whisper', 'large'));
    }),
  );
});

test.each(['multipart/form-data; charset=utf-8; boundary="x y:z"', 'Multipart/Form-Data;BOUNDARY="x y\\:z"'])(
  'reads the boundary of %s',
  (contentType) => {
    const text = `preamble\r\n--x y:z \t\r\ncontent-disposition:form-data;name=model\r\n\r\n m \r\n--x y:z--`;
    expect(read(text, contentType)).toMatchObject({ model: { name: 'm' } });
  },
);

test('a file that is called model is not the field', () => {
  const text = '--xyz\r\nContent-Disposition: form-data; name="model"; filename="m"\r\n\r\nx\r\n--xyz--';
  expect(read(text)).not.toHaveProperty('model');
});

test.each([
  ['no boundary in the content type', `${FILE}--xyz--`, 'multipart/form-data', 'invalid_multipart'],
  ['a boundary that is not in the body', `${FILE}--xyz--`, 'multipart/form-data; boundary=other', 'invalid_multipart'],
  ['no closing boundary', field('model', 'm'), TYPE, 'invalid_multipart'],
  [
    'a cut in the middle of a part',
    '--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\nm',
    TYPE,
    'invalid_multipart',
  ],
  [
    'part headers without an end',
    '--xyz\r\nContent-Disposition: form-data\r\n--xyz--\r\n\r\n',
    TYPE,
    'invalid_multipart',
  ],
  ['a boundary that goes on', `--xyz\r\n\r\n\r\n--xyzz\r\n${FILE}--xyz--`, TYPE, 'invalid_multipart'],
  ['too many parts', `${field('a', '').repeat(1001)}--xyz--`, TYPE, 'invalid_multipart'],
  ['two models that differ', `${field('model', 'a')}${field('model', 'b')}--xyz--`, TYPE, 'duplicate_model'],
  ['a model too long', `${field('model', 'a'.repeat(5000))}--xyz--`, TYPE, 'model_too_long'],
  ['a model that is not UTF-8', `${field('model', '\xff')}--xyz--`, TYPE, 'invalid_utf8'],
])('refuses %s', (_, text, contentType, refusal) => {
  expect(read(text, contentType)).toMatchObject({ refusal });
});

test('never fails on bytes of any kind', () => {
  const token = fc.constantFrom(
    '--xyz',
    '\r\n',
    '--',
    'Content-Disposition: form-data; name="model"',
    ':',
    'x',
    '\xff',
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 20 }), cuts(), (tokens, at) => {
      expect(() => read(tokens.join(''), TYPE, at)).not.toThrow();
    }),
    { numRuns: 500 },
  );
});
