import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { CASES, FOLDER, outcomeOf } from './golden-case';

/**
 * Each `golden/<case>.in.yaml` becomes `golden/<case>.out.yaml`: the objects of a cluster, and last the problems where
 * there are any. A new case is a file and a run with UPDATE_GOLDEN=1, which writes the outputs anew.
 */
describe('golden', () => {
  it.each(CASES)('%s', (name) => {
    const path = join(FOLDER, `${name}.out.yaml`);
    const { objects, problems } = outcomeOf(name);
    const documents = problems.length === 0 ? objects : [...objects, { problems }];
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, documents.map(yaml).join('---\n'));

    const written = parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as unknown);
    expect(JSON.parse(JSON.stringify(documents))).toEqual(written);
  });
});

function yaml(document: unknown): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
