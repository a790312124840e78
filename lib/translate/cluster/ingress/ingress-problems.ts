import type { Context } from '../context';
import type { Problem } from '../types';
import { acmArn, endpointType } from './endpoint-type';
import { listenerCertificate } from './ingress-objects';

/** What is missing in the cluster for the way that clients are to reach the gateway, and what its author should know. */
export function ingressProblems(context: Context): Problem[] {
  const { config, world } = context;
  const type = endpointType(config);
  const arn = acmArn(config.spec);
  const { targetGroupArn } = config.spec.endpoint;
  const problems: Problem[] = [];
  const missing = (reason: string, message: string) =>
    problems.push({ condition: 'GatewayProgrammed', reason, message, blocks: false });

  if (arn === undefined && !world.certManager) {
    missing(
      'CertManagerMissing',
      'cert-manager is not installed, and it issues the certificate of the gateway: install it, or name a certificate of ACM in spec.tls.acmArn',
    );
  }
  if ((type !== 'clusterIP' || targetGroupArn !== undefined) && !world.loadBalancerController) {
    const wanted = targetGroupArn === undefined ? `a load balancer of type ${type}` : 'a target group';
    const way =
      targetGroupArn === undefined ? 'set spec.endpoint.type to clusterIP' : 'remove spec.endpoint.targetGroupArn';
    missing(
      'LoadBalancerControllerMissing',
      `the AWS Load Balancer Controller is not installed, and ${wanted} is asked for: install it, or ${way}`,
    );
  }
  if (type === 'alb' && listenerCertificate(context) === undefined) {
    missing(
      'CertificatePending',
      'the Application Load Balancer gets its certificate once that is issued and imported into ACM; to use one that is there, set spec.tls.acmArn',
    );
  }
  if (type === 'nlb' && arn !== undefined) {
    problems.push({
      condition: 'Accepted',
      warns: true,
      reason: 'ShortIdleTimeout',
      message:
        'spec.tls.acmArn on a Network Load Balancer: its TLS listeners cut connections that are silent for 350 s, which cannot be changed; set spec.endpoint.type to alb, or remove acmArn so that TLS is passed through',
      blocks: false,
    });
  }
  if (config.spec.auth?.jwt === undefined) {
    problems.push({
      reason: 'NotAuthenticated',
      message: 'everybody who can reach the gateway can use it: set spec.auth.jwt to ask for tokens',
      blocks: false,
    });
  }
  return problems;
}
