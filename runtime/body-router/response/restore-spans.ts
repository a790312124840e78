import type { Body } from '../../ext-proc/processor';
import { type Span, sliceBody } from '../body/span';
import { runNow } from '../body/turns';
import { scanObject } from '../json/scan';

const OUTER: ReadonlySet<string> = new Set(['model', 'response', 'message']);
const INNER: ReadonlySet<string> = new Set(['model']);

/**
 * Where one event of a stream states its model: `model` (chat, completions), `response.model` (Responses API) and
 * `message.model` (Messages API). None when the event is not a JSON object.
 */
export function modelSpans(event: Body): Span[] {
  const scan = runNow(scanObject(event, OUTER));
  if ('fault' in scan) return [];
  return scan.members.flatMap((member): Span[] => {
    if (member.key === 'model') return member.kind === 'string' ? [member] : [];
    if (member.kind !== 'object') return [];
    const inner = runNow(scanObject(sliceBody(event, member), INNER));
    if ('fault' in inner) return [];
    return inner.members
      .filter(({ kind }) => kind === 'string')
      .map(({ start, end }) => ({ start: member.start + start, end: member.start + end }));
  });
}
