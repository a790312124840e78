import { items, propertyAt, textOf } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import { gatewayNames } from '../names';
import type { Problem } from '../types';
import { conditionIn, type Finding, type SeenCondition } from './conditions';
import type { Observed } from './observed';

/** The certificate that clients see, where cert-manager is asked for it. */
export interface ClientCertificateFacts {
  /** The Certificate as the gateway wants it. */
  readonly wanted: KubernetesObject;
  readonly observed: Pick<Observed, 'requested' | 'certificate'>;
  /** RFC 3339. */
  readonly now: string;
}

const REASON = 'CertificatePending';

/** Of the gateway of a config, for which the cluster should hold `desired`; undefined where cert-manager is asked for none. */
export function clientCertificateFacts(
  { metadata: { name, namespace = 'default' } }: KubernetesObject,
  desired: readonly KubernetesObject[],
  observed: ClientCertificateFacts['observed'],
  now: string,
): ClientCertificateFacts | undefined {
  const { certificate } = gatewayNames({ metadata: { name, namespace } });
  const wanted = desired.find(({ kind, metadata }) => kind === 'Certificate' && metadata.name === certificate);
  return wanted && { wanted, observed, now };
}

/** Why clients cannot verify the gateway; undefined where they can. */
export function certificateFinding(facts: ClientCertificateFacts): Finding | undefined {
  const fault = faultOf(facts);
  if (fault === undefined) return undefined;
  return { holds: false, reason: REASON, message: `${fault}; ${waitOf(facts) ?? strangenessOf(facts)}.` };
}

/** That cert-manager has tried, and could not issue it. Clients see the one before, if any, until that ends. */
export function issuanceFailure(requested: KubernetesObject): Problem[] {
  const issuing = presently(requested, 'Issuing');
  if (issuing?.status !== 'False') return [];
  const ends = textOf(propertyAt(requested.status, 'notAfter'));
  const until = ends === undefined ? '' : `; the one that is there ends at ${ends}`;
  return warning(`${nameOf(requested)}: ${textIn(issuing)}${until}; see its CertificateRequests, and its issuer`);
}

/** That the one that clients see is to be replaced, and is not yet. */
export function issuancePending(facts: ClientCertificateFacts): Problem[] {
  const isOnWay = facts.observed.requested !== undefined && faultOf(facts) === undefined;
  const wait = isOnWay ? waitOf(facts) : undefined;
  return wait === undefined ? [] : warning(wait);
}

function warning(message: string): Problem[] {
  return [{ condition: 'GatewayProgrammed', warns: true, reason: REASON, message, blocks: false }];
}

function faultOf({ wanted, observed: { requested, certificate }, now }: ClientCertificateFacts): string | undefined {
  const shown = certificate?.dnsNames;
  if (shown === undefined) return 'The certificate that clients are to see has not been issued yet';
  const missing = items(propertyAt(wanted.spec, 'dnsNames')).filter((name) => !isAmong(shown, String(name)));
  if (missing.length > 0) return `The certificate that clients see is not for ${missing.join(', ')}`;
  const ends = textOf(propertyAt(requested?.status, 'notAfter'));
  if (ends !== undefined && Date.parse(ends) <= Date.parse(now)) {
    return `The certificate that clients see ended at ${ends}`;
  }
  // A Secret that was there before: cert-manager finds fault with it, and has never issued one.
  const isOfOthers =
    requested !== undefined &&
    propertyAt(requested.status, 'revision') === undefined &&
    presently(requested, 'Ready')?.status === 'False';
  return isOfOthers ? 'The certificate that clients see is not the one that was asked for' : undefined;
}

/** What cert-manager says of the present spec where it has not come to it. */
function waitOf(facts: ClientCertificateFacts): string | undefined {
  const { requested } = facts.observed;
  const ready = requested && presently(requested, 'Ready');
  if (ready?.status === 'True') return undefined;
  const what = ready === undefined ? 'waits for cert-manager to take it' : `is not ready: ${textIn(ready)}`;
  return `${nameOf(facts.wanted)} ${what}; if that lasts, see its CertificateRequests, and whether cert-manager runs`;
}

/** Where cert-manager has nothing more to do. */
function strangenessOf({ wanted, observed: { certificate } }: ClientCertificateFacts): string {
  return certificate?.dnsNames === undefined
    ? `the Secret of ${nameOf(wanted)} has not been read yet`
    : `cert-manager says that ${nameOf(wanted)} is issued: see whether its issuer gives all names`;
}

function presently({ metadata, status }: KubernetesObject, type: string): SeenCondition | undefined {
  const condition = conditionIn(propertyAt(status, 'conditions'), type);
  return condition !== undefined && condition.observedGeneration >= (metadata.generation ?? 0) ? condition : undefined;
}

function textIn({ message, reason }: SeenCondition): string {
  return (message ?? reason ?? 'no reason is told').replace(/[.\s]+$/, '');
}

function nameOf({ metadata }: KubernetesObject): string {
  return `Certificate ${metadata.namespace}/${metadata.name}`;
}

/** As clients compare them: upper and lower case are the same, and `*` stands for one label. */
function isAmong(dnsNames: readonly string[], name: string): boolean {
  const accepted = [name, name.replace(/^[^.]+/, '*')].map((one) => one.toLowerCase());
  return dnsNames.some((one) => accepted.includes(one.toLowerCase()));
}
