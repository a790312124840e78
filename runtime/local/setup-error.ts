/** The machine lacks something or has it in use: nothing that editing the objects would mend. One line, with what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
