import { API_PORT, API_SERVICE_IP, CLUSTER_DOMAIN, NODE_IP, SERVICE_CIDR } from '../addresses';

/** The files that the control plane's programs share. */
export interface ControlPlaneFiles {
  readonly etcdData: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly tokens: string;
  readonly serviceAccountKey: string;
  readonly kubeconfig: string;
}

export const ETCD = 'http://127.0.0.1:2379';
const ETCD_PEER = 'http://127.0.0.1:2380';

/** The names by which pods and tests call the API server. */
export const API_NAMES = [
  ...['localhost', '127.0.0.1', NODE_IP, API_SERVICE_IP, 'kubernetes', 'kubernetes.default'],
  ...['kubernetes.default.svc', `kubernetes.default.svc.${CLUSTER_DOMAIN}`],
];

/** What a Deployment needs to become Pods and to be scaled, Services endpoints, and what is owned to go with its owner. */
const CONTROLLERS = [
  ...['deployment-controller', 'replicaset-controller', 'job-controller', 'disruption-controller'],
  ...['horizontal-pod-autoscaler-controller', 'ttl-after-finished-controller', 'clusterrole-aggregation-controller'],
  ...['endpointslice-controller', 'garbage-collector-controller', 'namespace-controller'],
  ...['serviceaccount-controller', 'serviceaccount-token-controller', 'root-ca-certificate-publisher-controller'],
];

export function etcdArguments(files: ControlPlaneFiles): readonly string[] {
  return [
    ...['--name=test', `--data-dir=${files.etcdData}`, '--unsafe-no-fsync', '--log-level=warn'],
    ...[`--listen-client-urls=${ETCD}`, `--advertise-client-urls=${ETCD}`],
    ...[`--listen-peer-urls=${ETCD_PEER}`, `--initial-advertise-peer-urls=${ETCD_PEER}`],
    `--initial-cluster=test=${ETCD_PEER}`,
  ];
}

export function apiServerArguments(files: ControlPlaneFiles): readonly string[] {
  return [
    ...[`--etcd-servers=${ETCD}`, `--secure-port=${API_PORT}`, '--bind-address=0.0.0.0'],
    ...[`--advertise-address=${NODE_IP}`, `--service-cluster-ip-range=${SERVICE_CIDR}`],
    ...[`--tls-cert-file=${files.certFile}`, `--tls-private-key-file=${files.keyFile}`],
    ...[`--token-auth-file=${files.tokens}`, '--authorization-mode=RBAC', '--anonymous-auth=false'],
    `--service-account-issuer=https://kubernetes.default.svc.${CLUSTER_DOMAIN}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    `--service-account-key-file=${files.serviceAccountKey}`,
    ...['--allow-privileged=true', '--profiling=false', '--shutdown-delay-duration=0s'],
    '--kubelet-preferred-address-types=InternalIP',
  ];
}

export function controllerManagerArguments(files: ControlPlaneFiles): readonly string[] {
  return [
    ...[`--kubeconfig=${files.kubeconfig}`, `--controllers=${CONTROLLERS.join(',')}`, '--leader-elect=false'],
    ...[`--service-account-private-key-file=${files.serviceAccountKey}`, `--root-ca-file=${files.certFile}`],
    ...['--kube-api-qps=300', '--kube-api-burst=500', '--bind-address=127.0.0.1', '--profiling=false'],
  ];
}
