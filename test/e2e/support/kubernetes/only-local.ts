/** Stands for what a gateway in a cluster does not have. */
export function onlyLocal(what: string): () => never {
  return () => {
    throw new Error(`${what}: only where the gateway runs on this machine`);
  };
}
