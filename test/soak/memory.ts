import { processUsage } from '../bench/overhead/process-usage';

/** Resident memory of one process over time. */
export interface MemoryTrack {
  /** Minutes since the start, and MiB. */
  readonly samples: ReadonlyArray<{ readonly minute: number; readonly mebibytes: number }>;
}

export interface MemoryWatch {
  readonly tracks: ReadonlyMap<string, MemoryTrack>;
  stop(): void;
}

/** Reads `pids` every `everyMs`, by name. A process that is gone is left out of that reading. */
export function watchMemory(pids: () => Readonly<Record<string, number | undefined>>, everyMs: number): MemoryWatch {
  const start = performance.now();
  const tracks = new Map<string, { samples: { minute: number; mebibytes: number }[] }>();
  const read = () => {
    for (const [name, pid] of Object.entries(pids())) {
      if (pid === undefined) continue;
      try {
        const track = tracks.get(name) ?? { samples: [] };
        const mebibytes = processUsage(pid).residentMiB;
        track.samples.push({ minute: (performance.now() - start) / 60_000, mebibytes });
        tracks.set(name, track);
      } catch {
        // It ended between the two.
      }
    }
  };
  const timer = setInterval(read, everyMs);
  return { tracks, stop: () => clearInterval(timer) };
}

/** MiB a minute, by least squares over the second half: the first half fills what is bounded. NaN with too few samples. */
export function growthPerMinute({ samples }: MemoryTrack): number {
  const half = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minutes = mean(half.map(({ minute }) => minute));
  const memory = mean(half.map(({ mebibytes }) => mebibytes));
  const over = half.reduce((sum, one) => sum + (one.minute - minutes) * (one.mebibytes - memory), 0);
  const under = half.reduce((sum, one) => sum + (one.minute - minutes) ** 2, 0);
  return over / under;
}
