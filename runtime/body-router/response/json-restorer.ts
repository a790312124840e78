import { bodyOf } from '../body/span';
import { spliceBody } from '../body/splice';
import { encodeString } from '../json/json-facts';
import { JsonScanner } from '../json/scanner';

/** Bytes held until the model is found; a response in which it comes later passes unchanged. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** For a JSON response: holds it until its `model` has been read, which most servers write early; then all passes. */
export class JsonRestorer {
  private readonly scanner = new JsonScanner(new Set(['model']));
  private readonly replacement: Buffer;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private passing = false;

  constructor(model: string) {
    this.replacement = encodeString(model);
  }

  push(chunk: Buffer, endOfStream: boolean): readonly Buffer[] {
    if (this.passing) return [chunk];
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    const fault = this.scanner.push(chunk);
    const model = this.scanner.members.find(({ kind }) => kind === 'string');
    if (model !== undefined) return this.pass(spliceBody(bodyOf(this.held), [model], this.replacement).chunks);
    const hopeless = fault !== undefined || this.heldBytes > MAX_HELD_BYTES;
    return hopeless || endOfStream ? this.pass(this.held) : [];
  }

  private pass(chunks: readonly Buffer[]): readonly Buffer[] {
    this.passing = true;
    this.held = [];
    return chunks;
  }
}
