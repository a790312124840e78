export interface Advice {
  readonly reason: string;
  /** What to do. */
  readonly advice: string;
}

/** An answer 403 has many authors, who are told apart by their words alone. The first that fits counts: a policy may say anything. */
const AUTHORS: ReadonlyArray<Advice & { readonly says: RegExp }> = [
  {
    says: /admission webhook .* denied|ValidatingAdmissionPolicy .* denied/,
    reason: 'Refused',
    advice:
      'an admission policy of the cluster does not take it: except the objects of the gateway from it, or correct the field that it names',
  },
  {
    says: /exceeded quota|failed quota/,
    reason: 'Refused',
    advice: 'raise the ResourceQuota of the namespace, or make room in it',
  },
  {
    says: /violates PodSecurity/,
    reason: 'Refused',
    advice:
      'the Pod Security level of the namespace does not let it in: correct the field that it names, or the label of the namespace',
  },
  {
    says: /being terminated/,
    reason: 'NamespaceTerminating',
    advice:
      'its namespace is being deleted: make it again when it is gone, or delete the gateway too; the controller tries again',
  },
];

/** Of the API server's own authorization, and of what it grants no more than one has. */
const RIGHTS = /cannot \w+ resource|attempting to grant RBAC permissions|cannot set blockOwnerDeletion/;

export function forbidden(message: string, kind: string): Advice {
  const author = AUTHORS.find(({ says }) => says.test(message));
  if (author !== undefined) return { reason: author.reason, advice: author.advice };
  return RIGHTS.test(message)
    ? { reason: 'Forbidden', advice: `give the controller's role the right to write ${kind} objects` }
    : {
        reason: 'Refused',
        advice: 'a policy of the API server does not take it: correct what it names, or the policy',
      };
}
