/** The version that go.mod requires of a module, such as `v1.9.1`. Throws where it requires none. */
export function requiredVersion(goMod: string, module: string): string {
  for (const line of goMod.split('\n')) {
    const [name, version] = line
      .trim()
      .replace(/^require /, '')
      .split(' ');
    if (name === module && version !== undefined && /^v\d/.test(version)) return version;
  }
  throw new Error(`tools/go.mod requires no ${module}.`);
}
