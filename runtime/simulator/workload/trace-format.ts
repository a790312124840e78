import { AZURE_HEADER } from './azure-trace';

export type TraceFormat = 'azure' | 'mooncake' | 'recording';

/** The format that a trace's first line gives away. Throws an error that names all formats when it is none. */
export function traceFormat(firstLine: string): TraceFormat {
  if (firstLine === AZURE_HEADER) return 'azure';
  const record = parseObject(firstLine);
  if (record !== undefined && 'recording' in record) return 'recording';
  if (record !== undefined && 'hash_ids' in record) return 'mooncake';
  throw new Error(
    `line 1: not a trace that can be read; expected the header ${AZURE_HEADER} (Azure's), a JSON object with "hash_ids" (Mooncake's) or one with "recording" (our own), got ${JSON.stringify(firstLine.slice(0, 100))}`,
  );
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
