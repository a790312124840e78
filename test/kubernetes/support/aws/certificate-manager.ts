import { type StandInAcm, startStandInAcm } from '../../../runtime/controller/certificates/support/stand-in-acm';
import { NODE_IP } from '../addresses';

/** The stand-in for AWS Certificate Manager, as pods reach it, and load balancers use it. */
export interface CertificateManager extends StandInAcm {
  /** A load balancer shows the certificate. */
  use(arn: string): void;
  /** It no longer does. ACM is late to notice, and refuses the next deletion all the same. */
  release(arn: string): void;
}

/** Every answer is noted: `ImportCertificate ARN ok`. */
export async function startCertificateManager(journal: string[]): Promise<CertificateManager> {
  const users = new Map<string, number>();
  const count = (arn: string, change: number) => users.set(arn, (users.get(arn) ?? 0) + change);
  const acm = await startStandInAcm({
    host: NODE_IP,
    answered(operation, arn, outcome) {
      journal.push(`${operation} ${arn ?? ''} ${outcome}`);
      const isUnused = arn !== undefined && (users.get(arn) ?? 0) === 0;
      if (operation === 'DeleteCertificate' && isUnused) acm.inUse.delete(arn);
    },
  });
  return Object.assign(acm, {
    use(arn: string) {
      count(arn, 1);
      acm.inUse.add(arn);
    },
    release: (arn: string) => void count(arn, -1),
  });
}
