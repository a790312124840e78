import { startModelServer } from '../../../../runtime/simulator/model-server/model-server';
import { parseModelServerOptions, resolveModelServerOptions } from '../../../../runtime/simulator/model-server/options';
import { withServer } from './with-server';

test('a command line is read into options', () => {
  const values = {
    port: '8001',
    adapters: ['x'],
    profile: 'llama-8b-a10g',
    speed: '2.5',
    faults: '{"error":500}',
    seed: undefined,
  };
  expect(parseModelServerOptions(values)).toEqual({
    port: 8001,
    adapters: ['x'],
    profile: 'llama-8b-a10g',
    speed: 2.5,
    faults: { error: 500 },
  });
});

test('all wrong options are named at once, with what is known', () => {
  const values = { prot: '1', profile: 'b200', speed: 'fast', dialect: 'x' };
  expect(() => parseModelServerOptions(values)).toThrow(/prot.*profile.*llama-8b-h100.*speed.*fast.*dialect.*vllm/);
});

test('values out of bounds are named at once', () => {
  const options = { port: 70_000, speed: 0, adapters: ['m', 'm'], model: 'b' };
  expect(() => resolveModelServerOptions(options)).toThrow(/port.*speed.*m is named twice/);
});

test('without adapters LoRA is off', () => {
  expect(resolveModelServerOptions({}).maxLora).toBe(0);
  expect(resolveModelServerOptions({ adapters: ['x'] }).maxLora).toBe(4);
});

test('a port in use is an error, not a crash', () =>
  withServer({}, async ({ port }) => {
    await expect(startModelServer({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  }));
