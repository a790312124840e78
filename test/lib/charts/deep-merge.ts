/** Both objects; where both have a field that is no object, `over` wins. */
export function deepMerge<T extends object>(under: T, over: T): T {
  const fields = Object.entries(over).map(([name, value]) => {
    const below: unknown = (under as Record<string, unknown>)[name];
    return [name, isMap(below) && isMap(value) ? deepMerge(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(fields) };
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
