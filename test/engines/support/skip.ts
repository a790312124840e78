/** Why the suite cannot run on this machine: no fault of the gateway. The message is one line. */
export class Skip extends Error {}
