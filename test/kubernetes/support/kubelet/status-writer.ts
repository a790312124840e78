import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Client } from '../api/client';
import { ApiRefusal } from '../api/request';
import type { Condition } from './pod-status';

/** Milliseconds until the newest status is tried again while the API server is away. */
const RETRY = 300;

/** Writes a pod's status: always the newest, one at a time, until the API server has it. */
export class StatusWriter {
  private newest: object | undefined;
  private written = '';
  private writing: Promise<void> | undefined;
  private readonly transitions = new Map<string, { status: string; at: string }>();

  constructor(
    private readonly client: Client,
    private readonly pod: V1Pod,
    private readonly signal: AbortSignal,
  ) {}

  write(status: { readonly conditions: readonly Condition[] }): void {
    const conditions = status.conditions.map((one) => ({ ...one, lastTransitionTime: this.transition(one) }));
    this.newest = { ...status, conditions };
    this.writing ??= this.drain().finally(() => {
      this.writing = undefined;
    });
  }

  /** Resolves once all is written, or nobody waits for it any more. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private transition({ type, status }: Condition): string {
    const known = this.transitions.get(type);
    if (known?.status === status) return known.at;
    const at = new Date().toISOString();
    this.transitions.set(type, { status, at });
    return at;
  }

  private async drain(): Promise<void> {
    const { name, namespace, uid } = this.pod.metadata!;
    while (this.newest !== undefined && !this.signal.aborted) {
      const status = this.newest;
      const text = JSON.stringify(status);
      try {
        if (text !== this.written) {
          await this.client.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { metadata: { uid }, status });
        }
        this.written = text;
        if (this.newest === status) this.newest = undefined;
      } catch (error) {
        // Another pod has the name by now, or none.
        if (error instanceof ApiRefusal && (error.code === 404 || error.code === 409)) return;
        if (error instanceof ApiRefusal && error.code === 422) return console.error(error.message);
        await sleep(RETRY);
      }
    }
  }
}
