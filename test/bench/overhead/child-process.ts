import { fork } from 'node:child_process';

/** A process of the bench that answers one request at a time; it ends with the bench. */
export interface Child<Request, Response> {
  readonly pid: number;
  /** Rejects when the process fails at it, or ends. */
  call(request: Request): Promise<Response>;
  close(): Promise<void>;
}

type Reply<Response> = { readonly value: Response } | { readonly error: string };

export function startChild<Request extends object, Response>(script: string): Child<Request, Response> {
  const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid!,
    call: (request) =>
      new Promise((resolve, reject) => {
        const onExit = () => reject(new Error(`${script} ended`));
        child.once('exit', onExit);
        child.once('message', (reply: Reply<Response>) => {
          child.off('exit', onExit);
          if ('error' in reply) reject(new Error(reply.error));
          else resolve(reply.value);
        });
        child.send(request);
      }),
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** The other side of `startChild`: answers the parent until the parent is gone. */
export function serveParent<Request, Response>(handle: (request: Request) => Promise<Response>): void {
  // A parent that is gone meanwhile shows as `disconnect`.
  const reply = (answer: Reply<Response>) => process.send?.(answer, () => {});
  process.on('message', (request: Request) => {
    handle(request).then(
      (value) => reply({ value }),
      (error: Error) => reply({ error: error.message }),
    );
  });
  process.on('disconnect', () => process.exit());
}
