/** A rule of an HTTPRoute. */
export interface RuleName {
  /** `NAMESPACE/NAME`. */
  readonly route: string;
  readonly index: number;
  /** As Envoy Gateway names the cluster that it makes for the whole rule. */
  readonly cluster: string;
}

/**
 * The rule that Envoy Gateway has made a route from, by the name it has given it:
 * `httproute/NAMESPACE/NAME/rule/INDEX/match/…`. Undefined for others, as those of a GRPCRoute.
 */
export function ruleOf(routeName: string): RuleName | undefined {
  const match = /^(httproute\/([^/]+\/[^/]+)\/rule\/(\d+))\//.exec(routeName);
  return match ? { cluster: match[1]!, route: match[2]!, index: Number(match[3]) } : undefined;
}

/** As Envoy Gateway names the cluster of one backend, where it makes one for each. */
export function backendCluster({ cluster }: RuleName, backend: number): string {
  return `${cluster}/backend/${backend}`;
}
