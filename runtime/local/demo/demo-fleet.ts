import { checkObjects, ofKind } from '../../../lib/translate/check-objects';
import { compileGatewayState } from '../../../lib/translate/compile-gateway-state';
import { readObjectFiles } from '../../objects/read-object-files';
import { type ModelServer, startModelServer } from '../../simulator/model-server/model-server';
import { parseModelServerOptions } from '../../simulator/model-server/options';
import { SetupError } from '../setup-error';

/** The annotation of a demo pod that names the model and hardware it plays. */
const PROFILE_ANNOTATION = 'simulator.inference-gateway/profile';

/** Answers of the demo come four times as fast as from the hardware that it plays. */
const DEMO_SPEED = 4;

/**
 * Starts a simulated model server for every annotated pod among the objects, on the pod's own address. Rejects, with
 * none left running, when an object has a fault or an address is taken.
 */
export async function startDemoFleet(paths: readonly string[]): Promise<{ close(): Promise<void> }> {
  const { objects, faults } = await readObjectFiles(paths);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const checked = checkObjects(objects);
  if ('faults' in checked) throw new Error(checked.faults.join('\n'));
  const compiled = compileGatewayState(objects);
  if ('faults' in compiled) throw new Error(compiled.faults.join('\n'));

  const servers: ModelServer[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    for (const { object: pod } of ofKind(checked.objects, 'Pod')) {
      const profile = pod.metadata.annotations?.[PROFILE_ANNOTATION];
      if (profile === undefined) continue;
      const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
      const scheduler = compiled.state.schedulers.find(({ endpoints }) => endpoints.some((one) => one.pod === name));
      const endpoint = scheduler?.endpoints.find((one) => one.pod === name);
      if (scheduler?.modelName === undefined || endpoint === undefined) continue;
      const { hostname, port } = new URL(`http://${endpoint.address}`);
      const options = parseModelServerOptions({
        profile,
        host: hostname,
        port: Number(port),
        model: scheduler.modelName,
        adapters: scheduler.adapters,
        speed: DEMO_SPEED,
      });
      servers.push(await startModelServer(options).catch((error: Error) => fleetFault(name, endpoint.address, error)));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

function fleetFault(pod: string, address: string, error: Error): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') throw new SetupError(`demo pod ${pod}: ${address} is in use; free it and start again`);
  if (code === 'EADDRNOTAVAIL') throw new SetupError(`demo pod ${pod}: this machine has no address ${address}`);
  throw new SetupError(`demo pod ${pod}: ${error.message}`);
}
