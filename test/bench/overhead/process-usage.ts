import { readFileSync } from 'node:fs';

/** What a process has used so far, from /proc (Linux only). */
export interface ProcessUsage {
  /** User and system time of all its threads; the kernel counts in steps of 10 ms. */
  readonly cpuSeconds: number;
  readonly residentMiB: number;
}

const TICKS_PER_SECOND = 100;

/** Throws when the process is gone. */
export function processUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field is a name, which may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    residentMiB: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024,
  };
}

/** Seconds for which the machine's processors were busy since it started, all together. */
export function machineBusySeconds(): number {
  const first = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = first.trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}
