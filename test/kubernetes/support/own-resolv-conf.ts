import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DNS_SERVICE_IP } from './addresses';
import { searchList } from './kubelet/resolv-conf';
import { shell } from './shell';

/** Lets the tests themselves, too, use the names of the cluster, as a pod of the namespace `default`. What it resolves with undoes that. */
export async function useClusterDns(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'resolv.conf');
  await writeFile(file, `nameserver ${DNS_SERVICE_IP}\nsearch ${searchList('default').join(' ')}\n`);
  await shell('mount --bind "$1" /etc/resolv.conf', file);
  return async () => {
    await shell('umount /etc/resolv.conf');
  };
}
