import { JsonFile } from 'projen';
import { AwsCdkTypeScriptApp } from 'projen/lib/awscdk';
import { NodePackageManager, NpmAccess, TypeScriptModuleResolution } from 'projen/lib/javascript';
import { TypeScriptRunner } from 'projen/lib/typescript';

/** Node of the production image; the npm package of this name puts it first on the PATH of every script. */
const NODE_MAJOR = '24';

const sources = ['bin/**/*.ts', 'lib/**/*.ts', 'runtime/**/*.ts'];

const project = new AwsCdkTypeScriptApp({
  name: 'hyperpod-inference-gateway',
  description:
    'Inference gateway for LLM serving on Amazon EKS and SageMaker HyperPod: each request goes to the pod that answers it first.',
  license: 'Apache-2.0',
  copyrightOwner: 'The HyperPod Inference Gateway Authors',
  authorName: 'The HyperPod Inference Gateway Authors',
  authorOrganization: true,
  keywords: ['llm', 'inference', 'gateway', 'envoy', 'kubernetes', 'eks', 'hyperpod', 'vllm', 'cdk'],
  defaultReleaseBranch: 'main',
  packageManager: NodePackageManager.NPM,
  npmAccess: NpmAccess.PUBLIC,
  runner: TypeScriptRunner.tsx(),
  projenVersion: '0.103.25',

  srcdir: 'lib',
  libdir: 'dist',
  testdir: 'test',
  app: 'npx tsx bin/cdk-app.ts',
  sampleCode: false,
  cdkVersion: '2.276.0',
  cdkCliVersion: '2.1148.1',
  constructsVersion: '10.8.1',

  github: false,
  release: false,
  depsUpgrade: false,
  eslint: false,
  jest: false,
  package: false,

  typescriptVersion: '~6.0.3',
  tsconfig: {
    compilerOptions: {
      rootDir: '.',
      target: 'ES2024',
      lib: ['ES2024'],
      module: 'node20',
      moduleResolution: TypeScriptModuleResolution.NODE16,
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noImplicitOverride: true,
      isolatedModules: true,
      resolveJsonModule: true,
      skipLibCheck: true,
    },
    include: sources,
  },
  tsconfigDevFile: 'tsconfig.dev.json',
  tsconfigDev: {
    compilerOptions: { rootDir: '.', types: ['node', 'jest'] },
    include: ['.projenrc.ts', ...sources, 'test/**/*.ts', 'scripts/**/*.ts', 'examples/**/*.ts'],
  },

  deps: [
    'commander@^14',
    'log-update',
    'picocolors',
    'pino',
    'pino-pretty',
    'prom-client',
    'undici',
    'yaml',
    'zeromq@^6',
    '@msgpack/msgpack@^3',
    'cli-progress@^3',
    'zod@^4',
    'openai',
    '@opentelemetry/api@^1',
    '@opentelemetry/core@^3.1.0',
    '@opentelemetry/exporter-trace-otlp-http@^0.301.0',
    '@opentelemetry/exporter-trace-otlp-proto@^0.301.0',
    '@opentelemetry/resources@^3.1.0',
    '@opentelemetry/sdk-trace@^3.1.0',
    '@aws-sdk/client-acm@^3',
    '@bufbuild/protobuf@^2',
    // Certificates that change are its experimental part, which a minor version may change.
    '@grpc/grpc-js@~1.14.7',
    '@kubernetes/client-node@^2.0.1',
    '@peculiar/x509@^2',
    'cdk8s@^2.70.106',
    'cdk8s-plus-28@^2.5.6',
    'reflect-metadata@^0.2.2',
  ],
  devDeps: [
    `node@${NODE_MAJOR}`,
    `@types/node@^${NODE_MAJOR}`,
    '@biomejs/biome@~2.6.8',
    '@swc/core',
    '@swc/jest',
    '@types/jest@^30',
    '@types/cli-progress',
    'dependency-cruiser',
    'dns2',
    'esbuild',
    'fast-check',
    '@bufbuild/buf',
    '@bufbuild/protoc-gen-es@^2',
    '@grpc/proto-loader',
    'jest@^30',
    'knip',
    'tsx',
    'wasmoon',
  ],
  gitignore: ['.cache/', 'dist/', '*.log'],
});

project.deps.removeDependency('ts-node');
project.package.addVersion('0.1.0');
project.package.addField('bin', { 'inference-gateway': 'dist/inference-gateway.js' });
project.package.addEngine('node', '>=24');
// npm runs the install scripts of these alone: they put binaries of the platform into place. zeromq brings its own.
project.package.addField('allowScripts', {
  node: true,
  esbuild: true,
  '@swc/core': true,
  '@parcel/watcher': false,
  zeromq: false,
  protobufjs: false,
  '@bufbuild/buf': false,
});
project.npmrc.addConfig('omit-lockfile-registry-resolved', 'true');
project.npmrc.addConfig('fund', 'false');
project.npmrc.addConfig('audit', 'false');
project.npmrc.addConfig('engine-strict', 'false');

/** Whole-system tests that start their processes themselves: they say the same however others run. */
const OWN_PROCESSES = ['claims', 'gie-picker', 'local-command', 'processes', 'recording', 'replicas', 'simulate'];

/** Scripts run their tools directly, so that a signal reaches the tool and start-up is quick. */
const scripts: Record<string, string> = {
  bundle: 'tsx scripts/bundle.ts',
  // `exec`: so that a signal to npm ends the gateway.
  local: 'npm run --silent bundle && exec node dist/inference-gateway.js local',
  test: 'npm run --silent bundle && jest',
  'test:unit': 'jest --testPathIgnorePatterns test/e2e',
  typecheck: 'tsc -p tsconfig.dev.json',
  lint: 'biome check . && depcruise --config .dependency-cruiser.json bin lib runtime && knip && tsx scripts/generate.ts --check',
  format: 'biome check --write .',
  generate: 'tsx scripts/generate.ts',
  'generate:envoy-types': 'tsx scripts/envoy-types.ts',
  build: 'npm run --silent typecheck && npm run --silent bundle && tsc -p tsconfig.json --noEmit',
  'bench:overhead': 'npm run --silent bundle && tsx test/bench/overhead.ts',
  'bench:uploads': 'npm run --silent bundle && tsx test/bench/uploads.ts',
  'bench:pick': 'tsx test/bench/pick.ts',
  'bench:scrape': 'tsx test/bench/scrape.ts',
  'bench:endpoint-streams': 'tsx test/bench/endpoint-streams.ts',
  'bench:simulate': 'tsx test/bench/simulate.ts',
  'bench:routing': 'tsx scripts/benchmark-routing.ts',
  'validate:simulator': 'tsx scripts/validate-simulator.ts',
  'find-load': 'tsx scripts/find-load.ts',
  'bench:body-router': 'tsx test/bench/body-router.ts',
  'bench:flow': 'tsx scripts/benchmark-flow.ts',
  faults: 'npm run --silent bundle && tsx scripts/fault-matrix.ts',
  failover: 'npm run --silent bundle && tsx scripts/replica-failover.ts',
  soak: 'npm run --silent bundle && tsx test/soak/soak.ts',
  'test:engines': 'tsx test/engines/run.ts',
  'check:vendor': 'tsx scripts/vendor-crds.ts --check && tsx scripts/envoy-types.ts --check',
  'kubernetes:tools': 'tsx test/kubernetes/tools/build.ts',
  'test:kubernetes': 'npm run --silent bundle && tsx test/kubernetes/run.ts',
  conformance: 'npm run --silent bundle && tsx test/conformance/run.ts',
  'test:processes': `npm run --silent bundle && IGW_TEST_PICKERS=2 jest test/e2e --testPathIgnorePatterns '${OWN_PROCESSES.join('|')}'`,
};
for (const [name, command] of Object.entries(scripts)) project.setScript(name, command);

const jest = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }] },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  testTimeout: 30_000,
  cacheDirectory: '<rootDir>/.cache/jest',
};

new JsonFile(project, 'jest.config.json', {
  marker: false,
  obj: { ...jest, testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/kubernetes/'] },
});

// With a control plane of its own, which test/kubernetes/run.ts starts the tests in.
new JsonFile(project, 'jest.kubernetes.config.json', {
  marker: false,
  obj: {
    ...jest,
    // One of them runs those of test/e2e that also work against a gateway that the controller made.
    testMatch: ['<rootDir>/test/kubernetes/**/*.test.ts'],
    testTimeout: 120_000,
    maxWorkers: 1,
  },
});

new JsonFile(project, 'biome.json', {
  marker: false,
  obj: {
    $schema: './node_modules/@biomejs/biome/configuration_schema.json',
    vcs: { enabled: true, clientKind: 'git', useIgnoreFile: true },
    files: {
      includes: ['**/*.ts', '!**/generated'],
    },
    formatter: { indentStyle: 'space', indentWidth: 2, lineWidth: 120 },
    javascript: { formatter: { quoteStyle: 'single' } },
    // JSON here is written by tools; its layout is theirs.
    json: { formatter: { enabled: false } },
    linter: {
      enabled: true,
      domains: { project: 'recommended' },
      rules: {
        preset: 'recommended',
        nursery: { noFloatingPromises: 'error', noMisusedPromises: 'error' },
        style: { noNonNullAssertion: 'off', useNodejsImportProtocol: 'error', useImportType: 'error' },
        suspicious: { noFocusedTests: 'error', noSkippedTests: 'error', noConsole: 'off' },
        correctness: { noUnusedImports: 'error', noUnusedVariables: 'error' },
      },
    },
  },
});

/** Folders that hold only functions of their arguments: no I/O, no process, no clock. */
const PURE =
  '^(lib/|runtime/(body-router/(body|json|models|multipart|prefix|response)|endpoint-picker/(scheduling|admission|ledger|prefix|health)|gie-picker/usage|inference-pools/xds|simulator/(engine|fleet|policies|workload|scenarios|report))/)';
const IO =
  '^(node:)?(fs|fs/promises|net|tls|http|https|http2|dgram|dns|child_process|cluster|worker_threads|process|timers|timers/promises|os|readline)$';
new JsonFile(project, '.dependency-cruiser.json', {
  marker: false,
  obj: {
    forbidden: [
      {
        name: 'lib-never-imports-runtime',
        severity: 'error',
        comment: 'lib is the library that users import; runtime is the servers.',
        from: { path: '^lib/' },
        to: { path: '^(runtime|bin|test|scripts)/' },
      },
      {
        name: 'runtime-imports-only-api-and-translate',
        severity: 'error',
        comment: 'Constructs must not reach a server image.',
        from: { path: '^runtime/' },
        to: { path: '^(lib/(?!api/|translate/)|bin/|test/|scripts/)' },
      },
      {
        name: 'pure-folders-do-no-io',
        severity: 'error',
        comment: 'Pure folders get time, randomness and data as arguments, so that the simulator runs the same code.',
        from: { path: PURE },
        to: { dependencyTypes: ['core'], path: IO },
      },
      {
        name: 'pure-folders-use-no-io-packages',
        severity: 'error',
        from: { path: PURE },
        to: { path: 'node_modules/(undici|pino|prom-client|commander|openai)/' },
      },
      { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
      {
        name: 'ext-proc-knows-no-models',
        severity: 'error',
        comment: 'The protocol layer serves any processor.',
        from: { path: '^runtime/ext-proc/' },
        to: { path: '^runtime/(?!ext-proc/|telemetry/)' },
      },
    ],
    options: {
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
      tsConfig: { fileName: 'tsconfig.json' },
    },
  },
});

new JsonFile(project, 'knip.json', {
  marker: false,
  obj: {
    $schema: './node_modules/knip/schema.json',
    entry: [
      'bin/*.ts',
      'lib/index.ts',
      'scripts/*.ts',
      'test/kubernetes/{run,dev,dev-cluster}.ts',
      'test/conformance/{run,run-in-cluster}.ts',
      'test/conformance/picker/picker.ts',
      'test/kubernetes/pools/*.ts',
      'test/kubernetes/harness/support/leave-behind.ts',
      '.projenrc.ts',
      'test/**/*.test.ts',
      'test/bench/*.ts',
      'test/engines/{run,*.engine}.ts',
    ],
    // What is generated has more than is used.
    ignore: ['runtime/envoy-api/generated/**'],
    project: ['{bin,lib,runtime,scripts,test}/**/*.ts'],
    // The `cdk` tasks of projen run the first, every script runs on the second, and scripts/envoy-types.ts runs the others.
    ignoreDependencies: ['aws-cdk', 'node', '@bufbuild/buf', '@bufbuild/protoc-gen-es'],
    ignoreBinaries: ['go', 'nsenter', 'openssl', 'unshare'],
  },
});

project.synth();
