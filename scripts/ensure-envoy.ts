/** Prints the path of the Envoy binary that local mode and the tests run, after fetching it where it is missing. */
import { findEnvoy } from '../runtime/local/envoy-binary';

findEnvoy(process.env, console.error).then(
  (path) => console.log(path),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
