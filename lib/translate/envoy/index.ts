export { type EnvoyState, union } from './envoy-state';
export type { EnvoyOptions } from './options';
export { BOOTSTRAP_FILE, type EnvoyFile, envoyResourceFiles } from './resource-files';
export { LISTENER_NAME } from './resource-names';
