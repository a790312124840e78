/** Starts what a run that is killed leaves: a program in namespaces of its own, with a process, a network namespace and a mount. */
import { runInOwnNamespaces } from '../../support/own-namespaces';

const [marker = ''] = process.argv.slice(2);
const script = `ip netns add ${marker}
mkdir /run/${marker}
mount -t tmpfs ${marker} /run/${marker}
sleep 1000 &
echo made
exec sh -c 'while :; do sleep 1000; done' ${marker}`;

void runInOwnNamespaces('/bin/sh', ['-c', script, marker]).exited;
