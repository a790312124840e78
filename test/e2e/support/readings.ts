/** The values of a metric on a page of Prometheus' text format: of all series that have these labels. */
export function readings(page: string, metric: string, labels: Readonly<Record<string, string>> = {}): number[] {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return page.split('\n').flatMap((line) => {
    const [, name, of = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    return name === metric && wanted.every((one) => of.split(',').includes(one)) ? [Number(value)] : [];
  });
}

/** Their sum. */
export function reading(page: string, metric: string, labels?: Readonly<Record<string, string>>): number {
  return readings(page, metric, labels).reduce((sum, one) => sum + one, 0);
}
