/**
 * Lets the first `limit` names through and calls each new one after them `other`. Names come and go with the
 * configuration, but the series of a process only come.
 */
export function labelLimit(limit: number): (name: string) => string {
  const seen = new Set<string>();
  return (name) => {
    if (seen.has(name)) return name;
    if (seen.size === limit) return 'other';
    seen.add(name);
    return name;
  };
}
