/**
 * Why the gateway cannot run with a CustomResourceDefinition as it is.
 * - `Absent`: it is not there, and the controller is told not to install it.
 * - `VersionNotServed`, `FieldsMissing`: what is there lacks something that the gateway uses.
 * - `StoredVersion`: objects may be stored in a version that the shipped one no longer has.
 * - `Terminating`, `NotEstablished`: it is on its way out, or the API server does not serve it.
 * - `Forbidden`, `Rejected`: the API server refused the write.
 * - `Contended`: somebody else changed it between each look and each write.
 */
type CrdFaultReason =
  | 'Absent'
  | 'VersionNotServed'
  | 'FieldsMissing'
  | 'StoredVersion'
  | 'Terminating'
  | 'NotEstablished'
  | 'Forbidden'
  | 'Rejected'
  | 'Contended';

export interface CrdFault {
  readonly reason: CrdFaultReason;
  /** A sentence that names the definition and says what to do. */
  readonly message: string;
}
