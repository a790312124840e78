import { OTHER } from './named-series';

export interface LabelLimit {
  /** The name, or `other` where it is one too many. */
  of(name: string): string;
  /** Gives the places of all other names back. */
  keep(names: ReadonlySet<string>): void;
}

/** Lets `limit` names through at one time and calls each new one beyond them `other`. */
export function labelLimit(limit: number): LabelLimit {
  const seen = new Set<string>();
  return {
    of(name) {
      if (seen.has(name)) return name;
      if (seen.size === limit) return OTHER;
      seen.add(name);
      return name;
    },
    keep(names) {
      for (const name of seen) if (!names.has(name)) seen.delete(name);
    },
  };
}
