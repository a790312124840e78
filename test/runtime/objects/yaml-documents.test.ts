import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseYamlDocuments } from '../../../runtime/objects/yaml-documents';

const parse = (text: string) => parseYamlDocuments(text, 'a.yaml');
const values = (text: string) => parse(text).objects.map(({ value }) => value);

describe('parseYamlDocuments', () => {
  it('reads several documents and skips the empty ones', () => {
    expect(values('---\na: 1\n---\n# nothing\n---\nb: 2\n...\n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('reads JSON', () => {
    expect(values('{"kind": "Pod", "metadata": {"name": "a"}}')).toEqual([{ kind: 'Pod', metadata: { name: 'a' } }]);
  });

  it('gives the same value as JSON.parse for any JSON object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const text = JSON.stringify(value);
        expect(values(text)).toEqual([JSON.parse(text)]);
      }),
    );
  });

  it('puts the items of a List in its place', () => {
    const text = stringify({ kind: 'List', apiVersion: 'v1', items: [{ kind: 'Pod' }, { kind: 'ConfigMap' }] });
    expect(values(text)).toEqual([{ kind: 'Pod' }, { kind: 'ConfigMap' }]);
  });

  it('knows the line of a field, of a list item and of the nearest parent of what is missing', () => {
    const [first, second] = parse('a: 1\n---\nspec:\n  list:\n    - x: 1\n    - y:\n        z: 2\n').objects;
    expect(first?.lineOf?.(['a'])).toBe(1);
    expect(second?.lineOf?.([])).toBe(3);
    expect(second?.lineOf?.(['spec', 'list', 1, 'y', 'z'])).toBe(7);
    expect(second?.lineOf?.(['spec', 'list', 0, 'missing', 'deeper'])).toBe(5);
    expect(second?.lineOf?.(['spec', 'missing'])).toBe(3);
  });

  it('knows the lines inside the items of a List', () => {
    const [, second] = parse(
      'kind: List\nitems:\n  - kind: Pod\n  - kind: Pod\n    metadata:\n      name: b\n',
    ).objects;
    expect(second?.lineOf?.(['metadata', 'name'])).toBe(6);
  });

  it('follows an alias to the line of what it stands for', () => {
    const [object] = parse('base: &base\n  x: 1\nuse: *base\n').objects;
    expect(object?.lineOf?.(['use', 'x'])).toBe(2);
  });

  it('takes a duplicate key for a fault, with its line', () => {
    expect(parse('a: 1\nb: 2\na: 3\n')).toEqual({
      objects: [],
      faults: [{ line: 3, message: expect.stringContaining('unique') }],
    });
  });

  it('keeps the good documents beside a faulty one', () => {
    const { objects, faults } = parse('a: 1\n---\nb: [1\n---\nc: 3\n');
    expect(objects.map(({ value }) => value)).toContainEqual({ a: 1 });
    expect(faults[0]?.line).toBeGreaterThanOrEqual(3);
  });

  it('refuses aliases that multiply', () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`,
    );
    const { objects, faults } = parse(`l0: &l0 [x, x]\n${levels.join('\n')}\n`);
    expect(objects).toEqual([]);
    expect(faults[0]?.message).toMatch(/alias/i);
  });

  it('refuses nesting that would exhaust the stack', () => {
    const { objects, faults } = parse('['.repeat(20_000));
    expect(objects).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
  });

  it('says so when the items of a List are no list', () => {
    expect(parse('kind: List\nitems:\n  a: 1\n').faults).toEqual([
      { line: 2, message: 'items of a List must be a list' },
    ]);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parse(text)));
  });

  it('leaves the prototype alone', () => {
    const [object] = parse('__proto__: {polluted: 1}\n').objects;
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(object?.value)).toBe(Object.prototype);
  });
});
