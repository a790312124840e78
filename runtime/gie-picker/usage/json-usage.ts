import { JsonScanner } from '../../body-router/json/scanner';
import { readUsage, type TokenUsage } from './token-usage';

/** A longer `usage` is not read. */
const MAX_USAGE_BYTES = 16 * 1024;

/** Reads the `usage` of a JSON answer as it passes: no more of the answer is kept than a usage may be long. */
export class JsonUsage {
  usage: TokenUsage | undefined;
  private readonly scanner = new JsonScanner(new Set(['usage']));
  /** The last bytes that have passed. */
  private tail: Buffer = Buffer.alloc(0);
  private passed = 0;
  private over = false;

  push(chunk: Buffer): void {
    if (this.over) return;
    const fault = this.scanner.push(chunk);
    this.passed += chunk.length;
    const known = Buffer.concat([this.tail, chunk]);
    const found = this.scanner.members.find(({ kind }) => kind === 'object');
    this.over = fault !== undefined || found !== undefined;
    this.tail = this.over ? Buffer.alloc(0) : known.subarray(Math.max(0, known.length - MAX_USAGE_BYTES));
    if (found === undefined) return;
    const base = this.passed - known.length;
    // What was scanned is JSON.
    if (found.start >= base && found.end - found.start <= MAX_USAGE_BYTES) {
      this.usage = readUsage(JSON.parse(known.toString('utf8', found.start - base, found.end - base)));
    }
  }

  end(): void {}
}
