const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read by this user',
};

/** What is wrong with a file that was named on the command line, without the system's codes. */
export function fileFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return WORDS[code ?? ''] ?? (error instanceof SyntaxError ? `is not JSON: ${message}` : message);
}
