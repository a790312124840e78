import fc from 'fast-check';
import { runNow } from '../../../../runtime/body-router/body/turns';
import { scanObject } from '../../../../runtime/body-router/json/scan';
import { JsonScanner, MAX_DEPTH, MAX_MEMBERS } from '../../../../runtime/body-router/json/scanner';
import { bodyFrom, cuts } from '../fixtures';

const NONE: ReadonlySet<string> = new Set();

function accepts(text: string, at: readonly number[] = []): boolean {
  const scanner = new JsonScanner(NONE);
  for (const chunk of bodyFrom(text, at).chunks) if (scanner.push(chunk) !== undefined) return false;
  return scanner.end() === undefined;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with white space, then a few characters replaced, removed or added: near misses of every kind. */
const nearJson = () =>
  fc
    .tuple(
      fc.json({ noUnicodeString: false }),
      fc.array(fc.tuple(fc.nat(), fc.nat(1), fc.constantFrom(...'{}[]:,"\\u0123456789eE+-.truefalsn \t\n\u0001')), {
        maxLength: 3,
      }),
    )
    .map(([json, edits]) => {
      let text = json;
      for (const [where, removed, added] of edits) {
        const at = where % (text.length + 1);
        text = text.slice(0, at) + added + text.slice(at + removed);
      }
      return text;
    });

/** Strings of JSON's own tokens: numbers and escapes in every order. */
const tokenSoup = () =>
  fc
    .array(
      fc.constantFrom(
        ...[
          '{',
          '}',
          '[',
          ']',
          ':',
          ',',
          '"',
          '\\',
          '\\u',
          '\\"',
          '0',
          '1',
          '-',
          '.',
          'e',
          'E',
          '+',
          'true',
          'null',
          ' ',
        ],
        ...['false', '"a"', '"a":', '12', '\\u00e9', 'é', '\t', '\u0000', '\u007f', '\ud83d\ude00', '\ufeff', '\u2028'],
      ),
      { maxLength: 12 },
    )
    .map((tokens) => tokens.join(''));

test('accepts what JSON.parse accepts and nothing else, in any chunks', () => {
  fc.assert(
    fc.property(fc.oneof(nearJson(), tokenSoup()), cuts(), (text, at) => {
      const whole = text.toWellFormed();
      expect(accepts(whole, at)).toBe(parses(whole));
    }),
    { numRuns: 3000 },
  );
});

test('finds the members that JSON.parse finds, in any chunks', () => {
  const key = fc.constantFrom('model', 'messages', 'other', '\u0000', 'mod\\el');
  const spelled = (text: string) => fc.boolean().map((escaped) => (escaped ? escapeAll(text) : JSON.stringify(text)));
  const member = fc.tuple(key.chain(spelled), fc.json());
  const space = fc.constantFrom('', ' ', '\n\t', '\r\n');
  fc.assert(
    fc.property(fc.array(member, { maxLength: 5 }), space, cuts(), (members, ws, at) => {
      const text = `${ws}{${members.map(([k, v]) => `${ws}${k}${ws}:${ws}${v}${ws}`).join(',')}}${ws}`;
      const result = runNow(scanObject(bodyFrom(text, at), new Set(['model', 'messages'])));
      if ('fault' in result) throw new Error(result.fault.message);
      const bytes = Buffer.from(text);
      const found = Object.fromEntries(
        result.members.map(({ key: k, kind, start, end }) => {
          const value = JSON.parse(bytes.subarray(start, end).toString());
          expect(kind).toBe(kindOf(value));
          return [k, value];
        }),
      );
      const { model, messages } = JSON.parse(text);
      expect(found).toEqual(JSON.parse(JSON.stringify({ model, messages })));
    }),
    { numRuns: 500 },
  );
});

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function escapeAll(text: string): string {
  return `"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
}

test('notes only members of the outermost object', () => {
  const result = runNow(
    scanObject(bodyFrom('{"a":{"model":"x"},"b":[{"model":"y"}],"model":"z"}'), new Set(['model'])),
  );
  expect(result).toEqual({ members: [{ key: 'model', kind: 'string', start: 47, end: 50 }] });
});

test.each(['[', '{"a":'])('allows %s up to the depth bound and names the byte that goes beyond', (opener) => {
  const close = opener === '[' ? ']' : '}';
  const nested = (depth: number) => opener.repeat(depth - 1) + (close === ']' ? '[]' : '{}') + close.repeat(depth - 1);
  expect(accepts(nested(MAX_DEPTH))).toBe(true);
  const scanner = new JsonScanner(NONE);
  expect(scanner.push(Buffer.from(nested(MAX_DEPTH + 1)))).toMatchObject({
    kind: 'depth',
    offset: opener.length * MAX_DEPTH,
  });
});

test('bounds how often a key is repeated', () => {
  const body = (times: number) => bodyFrom(`{${Array(times).fill('"model":"x"').join(',')}}`);
  expect(runNow(scanObject(body(MAX_MEMBERS), new Set(['model'])))).toHaveProperty('members');
  expect(runNow(scanObject(body(MAX_MEMBERS + 1), new Set(['model'])))).toMatchObject({
    fault: { kind: 'repetition' },
  });
});

test.each([
  ['{"model": x}', 10, 'unexpected character x'],
  ['{"model": "x"', 13, 'the text ends too early'],
  ['{"a": "b\nc"}', 8, 'a control character in a string must be escaped'],
  ['\ufeff{}', 0, 'unexpected byte 0xef (remove the byte order mark)'],
  ['[1]', 0, 'an object is needed, this is array'],
  ['', 0, 'the text ends too early'],
])('says what is wrong with %j and where', (text, offset, message) => {
  expect(runNow(scanObject(bodyFrom(text), NONE))).toEqual({ fault: { kind: 'syntax', offset, message } });
});

test('reports bytes that are not UTF-8, also when the text is JSON otherwise', () => {
  const body = bodyFrom(Buffer.from('{"a":"\xff"}', 'latin1'));
  expect(runNow(scanObject(body, NONE))).toMatchObject({ fault: { kind: 'utf8', offset: 6 } });
});
