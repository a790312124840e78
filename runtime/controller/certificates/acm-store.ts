import type { ACMClient, KeyAlgorithm, Tag } from '@aws-sdk/client-acm';
import { untilAborted } from '../../kubernetes/abort-scope';
import type { CertificateStore, StoreFaultReason, Tags } from './certificate-store';
import { StoreFault } from './certificate-store';

type Acm = typeof import('@aws-sdk/client-acm');

/** Of one request: where no endpoint of ACM can be reached, packets may be dropped without a word. Milliseconds. */
const LIMITS = { connectionTimeout: 5_000, requestTimeout: 20_000 };

/** Without these only RSA keys of 2048 bits are listed. */
const KEY_TYPES: readonly KeyAlgorithm[] = ['EC_prime256v1', 'EC_secp384r1', 'RSA_2048', 'RSA_3072', 'RSA_4096'];

const REASONS: Readonly<Record<string, StoreFaultReason>> = {
  ResourceInUseException: 'InUse',
  ResourceNotFoundException: 'NotFound',
  AccessDeniedException: 'Denied',
  AccessDenied: 'Denied',
  CredentialsProviderError: 'Denied',
  ExpiredTokenException: 'Denied',
  UnrecognizedClientException: 'Denied',
  InvalidClientTokenId: 'Denied',
  ValidationException: 'Invalid',
  InvalidArgsException: 'Invalid',
  InvalidArnException: 'Invalid',
  InvalidParameterException: 'Invalid',
  InvalidTagException: 'Invalid',
  LimitExceededException: 'Invalid',
  TooManyTagsException: 'Invalid',
  TimeoutError: 'Unreachable',
};

/** AWS Certificate Manager of a Region; certificates of others are deleted where they are. */
export function acmStore(region: string, limits = LIMITS): CertificateStore {
  const clients = new Map<string, Promise<{ acm: Acm; client: ACMClient }>>();

  function open(at: string) {
    let opened = clients.get(at);
    if (opened === undefined) {
      // Loaded here, for it is large and most gateways import nothing.
      opened = import('@aws-sdk/client-acm').then((acm) => ({
        acm,
        client: new acm.ACMClient({ region: at, requestHandler: { ...limits, throwOnRequestTimeout: true } }),
      }));
      clients.set(at, opened);
    }
    return opened;
  }

  return {
    async import({ certificate, key, chain }, target, signal) {
      const { acm, client } = await open('arn' in target ? regionOf(target.arn, region) : region);
      const { CertificateArn } = await asked('import the certificate', signal, () =>
        client.send(
          new acm.ImportCertificateCommand({
            Certificate: Buffer.from(certificate),
            PrivateKey: Buffer.from(key),
            ...(chain !== undefined && { CertificateChain: Buffer.from(chain) }),
            // Tags cannot be given once more.
            ...('arn' in target ? { CertificateArn: target.arn } : { Tags: tagList(target.tags) }),
          }),
          { abortSignal: signal },
        ),
      );
      if (CertificateArn === undefined) throw new StoreFault('Unavailable', 'ACM gave the certificate no name');
      return CertificateArn;
    },
    async find(tags, signal) {
      const { acm, client } = await open(region);
      const includes = { Includes: { keyTypes: [...KEY_TYPES] } };
      return await asked('look for the certificate', signal, async () => {
        const pages = acm.paginateListCertificates({ client }, includes, { abortSignal: signal });
        for await (const { CertificateSummaryList = [] } of pages) {
          for (const { CertificateArn, Type } of CertificateSummaryList) {
            if (Type !== 'IMPORTED' || CertificateArn === undefined) continue;
            const command = new acm.ListTagsForCertificateCommand({ CertificateArn });
            const listed = await client.send(command, { abortSignal: signal }).catch(unlessGone);
            if (hasTags(listed.Tags ?? [], tags)) return CertificateArn;
          }
        }
        return undefined;
      });
    },
    async hasTags(arn, tags, signal) {
      const { acm, client } = await open(regionOf(arn, region));
      try {
        const listed = await asked('list the tags of the certificate', signal, () =>
          client.send(new acm.ListTagsForCertificateCommand({ CertificateArn: arn }), { abortSignal: signal }),
        );
        return hasTags(listed.Tags ?? [], tags);
      } catch (error) {
        if (error instanceof StoreFault && error.reason === 'NotFound') return false;
        throw error;
      }
    },
    async delete(arn, signal) {
      const { acm, client } = await open(regionOf(arn, region));
      try {
        await asked('delete the certificate', signal, () =>
          client.send(new acm.DeleteCertificateCommand({ CertificateArn: arn }), { abortSignal: signal }),
        );
      } catch (error) {
        if (!(error instanceof StoreFault) || error.reason !== 'NotFound') throw error;
      }
    },
  };
}

/** Also where the request waits for what heeds no signal, such as for credentials: it is not sent afterwards. */
/** One that has been deleted since it was listed has no tags. */
function unlessGone(error: Error): { readonly Tags: readonly Tag[] } {
  if (REASONS[error.name] === 'NotFound') return { Tags: [] };
  throw error;
}

async function asked<T>(what: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await untilAborted(request(), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(what, error);
  }
}

function faultOf(what: string, error: unknown): StoreFault {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return new StoreFault(REASONS[name] ?? 'Unavailable', `ACM did not ${what}: ${message}`, { cause: error });
}

function regionOf(arn: string, otherwise: string): string {
  return arn.split(':')[3] || otherwise;
}

function tagList(tags: Tags): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

function hasTags(listed: readonly Tag[], tags: Tags): boolean {
  const values = new Map(listed.map(({ Key, Value }) => [Key, Value]));
  return Object.entries(tags).every(([key, value]) => values.get(key) === value);
}
