import type { ContainerProcess } from './container-process';

/** The process of a container that has none; every signal ends it. */
export function inertProcess(): ContainerProcess {
  let end: (code: number) => void = () => {};
  const exited = new Promise<number>((resolve) => {
    end = resolve;
  });
  return {
    pid: 0,
    exited,
    kill: (signal) => end(signal === 'SIGKILL' ? 137 : 143),
    exec: async () => ({ code: 126, output: 'the container has no process' }),
  };
}
