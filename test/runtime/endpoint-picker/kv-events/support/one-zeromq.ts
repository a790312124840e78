/**
 * A native library serves the first sandbox of a process alone, and each test file has a sandbox: this is the library
 * as the process outside of them has it, for `jest.mock`. `Buffer` is from there, and so is what its constructor makes.
 */
const outside = (Buffer.constructor as FunctionConstructor)('return process')() as NodeJS.Process;

export function oneZeromq(): typeof import('zeromq') {
  return outside.getBuiltinModule('node:module').createRequire(__filename)('zeromq');
}
