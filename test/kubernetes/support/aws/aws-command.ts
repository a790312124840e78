import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsController } from './aws-controller';

/** An `aws` that knows one add-on of one cluster, and what its `inferenceGateway.enabled` does. */
export interface AwsCommand {
  /** To be put in front of the PATH. */
  readonly bin: string;
  /** Rejects with what turning the controller on or off has failed of. */
  stop(): Promise<void>;
}

/** What the add-on asks for beside the gateway: an update must give all of it again. */
const VALUES = { executionRoleArn: 'arn:aws:iam::111122223333:role/x', inferenceGateway: { enabled: true } };
const POLL_MS = 100;

const SCRIPT = `#!/bin/sh
set -e
cd "$(dirname "$0")"
here=$OLDPWD
case "$2" in
  describe-addon) cat values.json ;;
  update-addon)
    for argument in "$@"; do
      case "$argument" in file://*) cp "$here/\${argument#file://}" asked.json ;; esac
    done
    mv asked.json wanted.json ;;
  wait) while [ -e wanted.json ]; do sleep 0.1; done ;;
  *) echo "aws $*: not known here" >&2; exit 1 ;;
esac
`;

export async function awsCommand(folder: string, controller: AwsController): Promise<AwsCommand> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const [values, wanted, command] = ['values.json', 'wanted.json', 'aws'].map((name) => join(bin, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(values, JSON.stringify(VALUES));
  await writeFile(command, SCRIPT);
  await chmod(command, 0o755);
  let stopped = false;

  async function follow(): Promise<void> {
    while (!stopped) {
      await sleep(POLL_MS);
      const text = await readFile(wanted, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const asked = JSON.parse(text) as typeof VALUES;
      if (asked.executionRoleArn !== VALUES.executionRoleArn) throw new Error(`the add-on has lost values: ${text}`);
      await (asked.inferenceGateway.enabled ? controller.turnOn() : controller.turnOff());
      await writeFile(`${values}.new`, text);
      await rename(`${values}.new`, values);
      await rm(wanted);
    }
  }

  const followed = follow();
  followed.catch(() => {});
  return {
    bin,
    async stop() {
      stopped = true;
      await followed;
    },
  };
}
