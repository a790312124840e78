import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { gatewayStatus } from '../../lib/translate/cluster/status/gateway-status';
import { hinderedStatus } from '../../lib/translate/cluster/status/hindered-status';
import type { IssuedCertificate } from '../../lib/translate/cluster/status/observed';
import type { Installation, Problem, Translation } from '../../lib/translate/cluster/types';
import type { Clock } from '../kubernetes/clock';
import type { AppliedObjects } from './applied-objects';
import type { ClientCertificate } from './gateway-certificates';
import { observedOf } from './observed';
import type { StatusWriter } from './status-writer';
import type { Watches } from './watches';

export interface Report {
  /** As read, with its former status. */
  readonly object: KubernetesObject;
  /** The same with its defaults; undefined where it is not valid. */
  readonly config?: InferenceGatewayConfig;
  readonly translation: Translation;
  /** Absent: it was not looked at, and stays as it was told. */
  readonly certificate?: ClientCertificate | undefined;
}

/** Tells in the status of a config what became of it. Both resolve as `StatusWriter.write` does. */
export interface StatusReport {
  write(report: Report, signal: AbortSignal): Promise<number | undefined>;
  /** Of a config that is not looked at: why not, and nothing else. */
  hindered(object: KubernetesObject, problem: Problem, signal: AbortSignal): Promise<number | undefined>;
}

export interface StatusReportOptions {
  readonly status: StatusWriter;
  readonly watches: Watches;
  readonly applied: AppliedObjects;
  readonly installation: Installation;
  readonly clock: Pick<Clock, 'wall'>;
}

export function createStatusReport(options: StatusReportOptions): StatusReport {
  const { status, watches, applied, installation, clock } = options;
  const now = () => new Date(clock.wall()).toISOString().replace(/\.\d+/, '');
  return {
    async write({ object, config, translation, certificate }, signal) {
      const former = status.former(object);
      const told = propertyAt(former.status, 'tls') as IssuedCertificate | undefined;
      const issued = certificate === undefined ? told : certificate.issued;
      const observed = { ...observedOf(object, watches, applied), certificate: issued };
      const facts = { object: former, config, installation, translation, observed, now: now() };
      return await status.write(object, gatewayStatus(facts), signal);
    },
    async hindered(object, problem, signal) {
      return await status.write(object, hinderedStatus(status.former(object), problem, now()), signal);
    },
  };
}
