import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  type DiscoveryRequest,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from '../../envoy-api/generated/envoy/service/discovery/v3/discovery_pb';
import type { EndpointSource } from './endpoint-source';

export interface DiscoveryStreamOptions {
  readonly source: EndpointSource;
  readonly send: (response: DiscoveryResponse) => void;
  /** An Envoy has refused what it was sent, and goes on with what it had. */
  readonly onRefused: (reason: string) => void;
}

/** What one Envoy asks for over one stream: by the state-of-the-world variant of xDS, in which it names all it wants each time. */
export class DiscoveryStream {
  private readonly subscriptions = new Map<string, () => void>();
  /** What is to be sent when the last is answered: the newest of each name, so that an Envoy that is slow costs no memory. */
  private readonly pending = new Map<string, Any>();
  private version = 0;
  private isAnswered = true;
  private typeUrl = '';

  constructor(private readonly options: DiscoveryStreamOptions) {}

  receive({ resourceNames, typeUrl, errorDetail, responseNonce }: DiscoveryRequest): void {
    if (errorDetail) this.options.onRefused(errorDetail.message);
    this.typeUrl = typeUrl;
    this.isAnswered ||= responseNonce === String(this.version);
    const wanted = new Set(resourceNames);
    for (const [name, stop] of this.subscriptions) {
      if (wanted.has(name)) continue;
      stop();
      this.subscriptions.delete(name);
      this.pending.delete(name);
    }
    for (const name of wanted) {
      if (this.subscriptions.has(name)) continue;
      // Entered first: the source may call back before it returns.
      this.subscriptions.set(name, () => {});
      this.subscriptions.set(
        name,
        this.options.source.subscribe(name, (assignment) => this.offer(name, assignment)),
      );
    }
    this.flush();
  }

  close(): void {
    for (const stop of this.subscriptions.values()) stop();
    this.subscriptions.clear();
    this.pending.clear();
  }

  private offer(name: string, assignment: Any): void {
    this.pending.set(name, assignment);
    this.flush();
  }

  private flush(): void {
    if (!this.isAnswered || this.pending.size === 0) return;
    this.isAnswered = false;
    this.version += 1;
    const version = String(this.version);
    const resources = [...this.pending.values()];
    this.pending.clear();
    this.options.send(
      create(DiscoveryResponseSchema, { versionInfo: version, nonce: version, typeUrl: this.typeUrl, resources }),
    );
  }
}
