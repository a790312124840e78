import { shell } from '../../shell';

/** Makes the /dev of the containers in a new folder. */
export async function makeDevices(folder: string): Promise<void> {
  await shell(
    `mkdir -p "$1/shm" "$1/pts"
    cd "$1"
    mknod -m 666 null c 1 3
    mknod -m 666 zero c 1 5
    mknod -m 666 full c 1 7
    mknod -m 666 random c 1 8
    mknod -m 666 urandom c 1 9
    mknod -m 666 tty c 5 0
    ln -s /proc/self/fd fd
    ln -s /proc/self/fd/0 stdin
    ln -s /proc/self/fd/1 stdout
    ln -s /proc/self/fd/2 stderr
    : > termination-log`,
    folder,
  );
}
