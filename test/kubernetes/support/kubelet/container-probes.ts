import type { V1Container, V1Probe } from '@kubernetes/client-node';
import type { Target } from './probes/handler';
import { type ProbeEvents, probeLoop } from './probes/probe-loop';

export interface ProbesListener {
  /** The startup probe has succeeded, or there is none. */
  started(): void;
  ready(ready: boolean): void;
  /** The container is to be restarted. */
  dead(kind: 'startup' | 'liveness', probe: V1Probe): void;
  failed(kind: 'startup' | 'readiness' | 'liveness', reason: string): void;
}

export interface Probes {
  /** A container that ends may still be ready; whether it lives is asked no more. */
  ending(): void;
  stop(): void;
}

/** Probes a container as its spec says: readiness and liveness once it has started up. */
export function startProbes(container: V1Container, target: Target, listener: ProbesListener): Probes {
  const all = new AbortController();
  const life = new AbortController();
  const events = (kind: Parameters<ProbesListener['failed']>[0], result: ProbeEvents['result']): ProbeEvents => ({
    result,
    failed: (reason) => listener.failed(kind, reason),
  });

  const begin = () => {
    listener.started();
    const { readinessProbe, livenessProbe } = container;
    if (readinessProbe === undefined) listener.ready(true);
    else void probeLoop(readinessProbe, target, all.signal, events('readiness', listener.ready));
    if (livenessProbe === undefined) return;
    const result = (healthy: boolean) => {
      if (!healthy) listener.dead('liveness', livenessProbe);
    };
    void probeLoop(livenessProbe, target, life.signal, events('liveness', result));
  };
  const startUp = (probe: V1Probe) => {
    const once = new AbortController();
    const result = (healthy: boolean) => {
      once.abort();
      if (healthy) begin();
      else listener.dead('startup', probe);
    };
    void probeLoop(probe, target, AbortSignal.any([once.signal, life.signal]), events('startup', result));
  };

  if (container.startupProbe === undefined) begin();
  else startUp(container.startupProbe);
  return {
    ending: () => life.abort(),
    stop() {
      life.abort();
      all.abort();
    },
  };
}
