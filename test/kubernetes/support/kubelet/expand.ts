/** Replaces `$(NAME)` by the variable; one that there is not stays as it is, and `$$` is a dollar. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  );
}
