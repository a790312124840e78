import type { Logger } from 'pino';
import { property } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { ObjectSet } from './object-source';
import { readStateFile } from './state-file';

/** What the last run has kept in the file. One that cannot be used is told of, and no more. */
export async function readLastRun(path: string, gateway: string, log: Logger): Promise<ObjectSet | undefined> {
  try {
    return await readStateFile(path, gateway);
  } catch (error) {
    log.warn({ reason: (error as Error).message }, '--state-file: passed over');
    return undefined;
  }
}

/** The InferenceGatewayConfig among objects; undefined where there is none. */
export function configAmong({ objects }: ObjectSet): KubernetesObject | undefined {
  const found = objects.find(({ value }) => property(value, 'kind') === 'InferenceGatewayConfig');
  return found?.value as KubernetesObject | undefined;
}
