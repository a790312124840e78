import {
  type CertificateStore,
  type ImportedMaterial,
  type ImportTarget,
  StoreFault,
  type StoreFaultReason,
  type Tags,
} from '../../../../../runtime/controller/certificates/certificate-store';

/** A store in memory; `faults` are what its next answers are. */
export class MemoryStore implements CertificateStore {
  readonly imported = new Map<string, { readonly material: ImportedMaterial; readonly tags: Tags }>();
  readonly inUse = new Set<string>();
  readonly faults: StoreFaultReason[] = [];
  readonly calls: string[] = [];

  async import(material: ImportedMaterial, target: ImportTarget): Promise<string> {
    this.next('import');
    if ('tags' in target) {
      const arn = `arn:aws:acm:us-west-2:1:certificate/${this.calls.length}`;
      this.imported.set(arn, { material, tags: target.tags });
      return arn;
    }
    const present = this.imported.get(target.arn);
    if (present === undefined) throw new StoreFault('NotFound', `no ${target.arn}`);
    this.imported.set(target.arn, { ...present, material });
    return target.arn;
  }

  async find(tags: Tags): Promise<string | undefined> {
    this.next('find');
    const wanted = JSON.stringify(tags);
    return [...this.imported].find(([, stored]) => JSON.stringify(stored.tags) === wanted)?.[0];
  }

  async hasTags(arn: string, tags: Tags): Promise<boolean> {
    this.next('hasTags');
    return JSON.stringify(this.imported.get(arn)?.tags) === JSON.stringify(tags);
  }

  async delete(arn: string): Promise<void> {
    this.next('delete');
    if (this.inUse.has(arn)) throw new StoreFault('InUse', `${arn} is in use`);
    this.imported.delete(arn);
  }

  private next(call: string): void {
    this.calls.push(call);
    const fault = this.faults.shift();
    if (fault !== undefined) throw new StoreFault(fault, `${call}: ${fault}`);
  }
}
