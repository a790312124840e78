/** A word of a shell script that stands for exactly this text. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
