/** Preferred only: one node, or one zone, is enough to run on. */
export function spread(labels: Readonly<Record<string, string>>) {
  return ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
    // Pods of an old template do not count: a rollout ends as spread as it began.
    matchLabelKeys: ['pod-template-hash'],
  }));
}
