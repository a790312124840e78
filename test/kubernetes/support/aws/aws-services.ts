import type { Cluster } from '../cluster';
import { type CertificateManager, startCertificateManager } from './certificate-manager';
import { type LoadBalancerController, startLoadBalancerController } from './load-balancer-controller';
import { startPodIdentity } from './pod-identity';

/** What stands in for the services of AWS that a gateway uses. */
export interface AwsServices {
  readonly acm: CertificateManager;
  /** What load balancers and ACM have done, in order. */
  readonly journal: readonly string[];
  installLoadBalancerController(): Promise<LoadBalancerController>;
  close(): Promise<void>;
}

/** To be started before the controller, whose pods find them by their environment. */
export async function startAwsServices(cluster: Cluster): Promise<AwsServices> {
  const journal: string[] = [];
  const acm = await startCertificateManager(journal);
  const closers = [() => acm.close()];
  const identity = await startPodIdentity(cluster, acm.url);
  closers.push(() => identity.close());
  return {
    acm,
    journal,
    async installLoadBalancerController() {
      const controller = await startLoadBalancerController(cluster, acm, journal);
      closers.push(() => controller.close());
      return controller;
    },
    async close() {
      for (const closer of closers.reverse()) await closer();
    },
  };
}
