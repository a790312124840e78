import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFlags, buildStamp } from './build-flags';
import { runCommand } from './run-command';
import type { Tool } from './tool';

/** By the name of the binary; packages of the Go module beside this file. */
const PACKAGES: Readonly<Record<string, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'envoy-gateway': 'github.com/envoyproxy/gateway/cmd/envoy-gateway',
  helm: 'helm.sh/helm/v4/cmd/helm',
  'cert-manager': './cert-manager',
};

export const goTools = (goMod: string): readonly Tool[] =>
  Object.entries(PACKAGES).map(([name, goPackage]) => ({
    name,
    stamp: buildStamp(goMod, ownSource(goPackage)),
    async make(target) {
      await runCommand('go', ['build', ...buildFlags(goMod), '-o', target, goPackage], {
        cwd: __dirname,
        env: { ...process.env, CGO_ENABLED: '0' },
      });
    },
  }));

/** Of a program that is written here. */
const ownSource = (goPackage: string) =>
  goPackage.startsWith('./') ? readFileSync(join(__dirname, goPackage, 'main.go'), 'utf8') : '';
