import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Tag {
  readonly Key: string;
  readonly Value: string;
}

interface Stored {
  certificate: string;
  key: string;
  chain: string | undefined;
  readonly tags: readonly Tag[];
  readonly type: 'IMPORTED' | 'AMAZON_ISSUED';
}

type Fields = Readonly<Record<string, unknown>>;

/** Answers as AWS Certificate Manager does, as far as its rules matter here. Not ACM: a stand-in for tests. */
export interface StandInAcm {
  readonly url: string;
  readonly certificates: Map<string, Stored>;
  /** ARNs that a load balancer shows. */
  readonly inUse: Set<string>;
  /** `Import`, `Delete` …, in order. */
  readonly calls: string[];
  /** The next answers are these errors. */
  readonly failures: { readonly status: number; readonly name: string }[];
  /** ARNs that are listed though they are not there any more. */
  readonly goneSinceListed: Set<string>;
  /** These calls are denied. */
  readonly denied: Set<string>;
  close(): Promise<void>;
}

class Refusal extends Error {
  constructor(
    readonly type: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

interface StandInAcmOptions {
  /** Default: the loopback address. */
  readonly host?: string;
  /** `outcome`: `ok`, or the name of the error. */
  readonly answered?: (operation: string, arn: string | undefined, outcome: string) => void;
}

export async function startStandInAcm(options: StandInAcmOptions = {}): Promise<StandInAcm> {
  const { host = '127.0.0.1', answered = () => {} } = options;
  const certificates = new Map<string, Stored>();
  const inUse = new Set<string>();
  const calls: string[] = [];
  const failures: { status: number; name: string }[] = [];
  const denied = new Set<string>();
  const goneSinceListed = new Set<string>();

  function known(arn: unknown): Stored {
    const stored = certificates.get(String(arn));
    if (stored === undefined || goneSinceListed.has(String(arn)))
      throw new Refusal('ResourceNotFoundException', `Could not find certificate ${arn}.`);
    return stored;
  }

  const operations: Readonly<Record<string, (fields: Fields) => Fields>> = {
    ImportCertificate({ Certificate, PrivateKey, CertificateChain, CertificateArn, Tags }) {
      const certificate = decoded(Certificate);
      const key = decoded(PrivateKey);
      const chain = CertificateChain === undefined ? undefined : decoded(CertificateChain);
      checkMaterial(certificate, key, chain);
      if (CertificateArn !== undefined) {
        if (Tags !== undefined)
          throw new Refusal('InvalidParameterException', 'You cannot apply tags when reimporting.');
        Object.assign(known(CertificateArn), { certificate, key, chain });
        return { CertificateArn };
      }
      const arn = `arn:aws:acm:us-west-2:111122223333:certificate/${randomUUID()}`;
      certificates.set(arn, { certificate, key, chain, tags: (Tags ?? []) as Tag[], type: 'IMPORTED' });
      return { CertificateArn: arn };
    },
    ListCertificates({ NextToken, Includes }) {
      // Without a filter of key types others than RSA are not listed.
      const listed = (Includes as { keyTypes?: unknown } | undefined)?.keyTypes === undefined ? [] : [...certificates];
      const at = Number(NextToken ?? 0);
      return {
        CertificateSummaryList: listed
          .slice(at, at + 1)
          .map(([arn, { type }]) => ({ CertificateArn: arn, Type: type })),
        ...(at + 1 < listed.length && { NextToken: String(at + 1) }),
      };
    },
    ListTagsForCertificate: ({ CertificateArn }) => ({ Tags: known(CertificateArn).tags }),
    DeleteCertificate({ CertificateArn }) {
      known(CertificateArn);
      if (inUse.has(String(CertificateArn))) {
        throw new Refusal('ResourceInUseException', `Certificate ${CertificateArn} in account is in use.`);
      }
      certificates.delete(String(CertificateArn));
      return {};
    },
  };

  const server = createServer((request, response) => {
    void (async () => {
      const target = String(request.headers['x-amz-target']).replace('CertificateManager.', '');
      calls.push(target.replace(/Certificates?$/, ''));
      let arn: string | undefined;
      const answer = (status: number, body: Fields) => {
        arn ??= body.CertificateArn as string | undefined;
        answered(target, arn, status === 200 ? 'ok' : String(body.__type));
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
      };
      try {
        const fields = JSON.parse(await text(request)) as Fields;
        arn = fields.CertificateArn as string | undefined;
        const failure = failures.shift();
        if (failure !== undefined) throw new Refusal(failure.name, 'not now', failure.status);
        if (denied.has(target))
          throw new Refusal('AccessDeniedException', `User is not authorized to perform: acm:${target}`);
        answer(200, operations[target]!(fields));
      } catch (error) {
        const { type, message, status } = error as Refusal;
        answer(status ?? 500, { __type: type ?? 'InternalFailure', message });
      }
    })();
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    certificates,
    inUse,
    calls,
    failures,
    denied,
    goneSinceListed,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function decoded(base64: unknown): string {
  return Buffer.from(String(base64), 'base64').toString();
}

function checkMaterial(certificate: string, key: string, chain: string | undefined): void {
  if (certificate.match(/BEGIN CERTIFICATE/g)?.length !== 1) {
    throw new Refusal('ValidationException', 'Provide only the certificate, and its issuers in the chain.');
  }
  const parsed = new X509Certificate(certificate);
  if (!parsed.checkPrivateKey(createPrivateKey(key))) {
    throw new Refusal('ValidationException', 'The private key is not that of the certificate.');
  }
  const issuer = chain === undefined ? parsed : new X509Certificate(chain);
  if (!parsed.verify(issuer.publicKey)) {
    throw new Refusal('ValidationException', 'The certificate chain does not verify the certificate.');
  }
}
