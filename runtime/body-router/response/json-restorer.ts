import { bodyOf } from '../body/span';
import { spliceBody } from '../body/splice';
import { encodeString } from '../json/json-facts';
import { JsonScanner } from '../json/scanner';
import { HeldBytes } from './held-bytes';

/** Bytes held until the model is found; a response in which it comes later passes unchanged. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** For a JSON response: holds it until its `model` has been read, which most servers write early; then all passes. */
export class JsonRestorer {
  private readonly scanner = new JsonScanner(new Set(['model']));
  private readonly replacement: Buffer;
  private readonly held = new HeldBytes();
  private passing = false;

  constructor(model: string) {
    this.replacement = encodeString(model);
  }

  push(chunk: Buffer, endOfStream: boolean): readonly Buffer[] {
    if (this.passing) return [chunk];
    const fault = this.scanner.push(chunk);
    const model = this.scanner.members.find(({ kind }) => kind === 'string');
    const hopeless = fault !== undefined || endOfStream || this.held.length + chunk.length > MAX_HELD_BYTES;
    if (model === undefined && !hopeless) {
      this.held.push(chunk);
      return [];
    }
    this.passing = true;
    const bytes = this.held.takeWith(chunk);
    return model === undefined ? [bytes] : spliceBody(bodyOf([bytes]), [model], this.replacement).chunks;
  }
}
