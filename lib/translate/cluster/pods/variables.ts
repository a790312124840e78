interface Variables {
  readonly env?: ReadonlyArray<{ readonly name: string }> | undefined;
  readonly envFrom?: readonly unknown[] | undefined;
}

/** `env` and `envFrom` of a container; what `own` sets wins over `defaults`. Absent where there is none. */
export function mergedVariables(defaults: Variables, own: Variables): Readonly<Record<string, unknown>> {
  const env = new Map([...(defaults.env ?? []), ...(own.env ?? [])].map((variable) => [variable.name, variable]));
  const envFrom = [...(defaults.envFrom ?? []), ...(own.envFrom ?? [])];
  return {
    ...(env.size > 0 && { env: [...env.values()] }),
    ...(envFrom.length > 0 && { envFrom }),
  };
}
