import type { experimental } from '@grpc/grpc-js';
import { INFERENCE_POOL_SECRETS } from '../../../lib/translate/cluster/names';
import { type HeldLeaf, heldLeaf } from '../../controller/certificates/leaf-secret';
import { untilAborted } from '../../kubernetes/abort-scope';
import { type InformerOptions, startInformer } from '../../kubernetes/informer';
import { resourceOf } from '../../kubernetes/resources';
import type { DiscoveryServer } from '../xds/endpoint-discovery';

export interface PoolCertificates {
  /** Once the controller's leader has made all of them; rejects with the reason of the signal. */
  readonly ready: Promise<void>;
  /** What the server shows, and whom it hears; connections from now on use what is there now. */
  readonly provider: experimental.CertificateProvider;
  /** What Envoys get. Throws before `ready`. */
  forEnvoys(): DiscoveryServer['tls'];
}

export type PoolCertificatesOptions = Pick<InformerOptions, 'client' | 'clock' | 'random' | 'log' | 'signal'> & {
  readonly namespace: string;
};

interface Complete {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

const SECRET = resourceOf('v1', 'Secret');

/** What Envoys have is part of their configuration, which Envoy Gateway makes when something of it changes. */
const RENEWED =
  'the authority of InferencePools has changed: Envoys have a certificate of the former, with which they may be refused, ' +
  'until their Gateway changes or Envoy Gateway is restarted (kubectl rollout restart deployment/envoy-gateway)';

/** The Secrets by which the server, Envoy Gateway and Envoys know each other, as the leader keeps them. */
export function followPoolCertificates(options: PoolCertificatesOptions): PoolCertificates {
  const { namespace, log, signal } = options;
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  let setReady = () => {};
  const made = new Promise<void>((resolve) => {
    setReady = resolve;
  });
  const [server, envoy] = [follow(INFERENCE_POOL_SECRETS.server), follow(INFERENCE_POOL_SECRETS.envoy)];

  function follow(name: string): { readonly current: () => Complete | undefined } {
    // What was complete once goes on being used while the Secret is made anew.
    let last: Complete | undefined;
    startInformer({
      ...options,
      resource: SECRET,
      selection: { namespace, fieldSelector: `metadata.name=${name}` },
      onChange(_, now) {
        const next = complete(heldLeaf(now)) ?? last;
        if (name === INFERENCE_POOL_SECRETS.envoy && last && next && last.ca !== next.ca) log.warn(RENEWED);
        last = next;
        changed();
      },
    });
    return { current: () => last };
  }

  function changed(): void {
    const held = server.current();
    if (held === undefined || envoy.current() === undefined) return;
    for (const listener of caListeners) listener(authorityOf(held));
    for (const listener of identityListeners) listener(identityOf(held));
    setReady();
  }

  return {
    ready: untilAborted(made, signal),
    provider: {
      addCaCertificateListener(listener) {
        caListeners.add(listener);
        const held = server.current();
        if (held) process.nextTick(() => listener(authorityOf(held)));
      },
      removeCaCertificateListener: (listener) => void caListeners.delete(listener),
      addIdentityCertificateListener(listener) {
        identityListeners.add(listener);
        const held = server.current();
        if (held) process.nextTick(() => listener(identityOf(held)));
      },
      removeIdentityCertificateListener: (listener) => void identityListeners.delete(listener),
    },
    forEnvoys() {
      const held = envoy.current();
      if (held === undefined) throw new Error(`Secret ${namespace}/${INFERENCE_POOL_SECRETS.envoy} has no certificate`);
      return held;
    },
  };
}

function complete({ certificate, key, trusted }: HeldLeaf): Complete | undefined {
  return certificate && key && trusted ? { certificate, key, ca: trusted } : undefined;
}

const authorityOf = ({ ca }: Complete) => ({ caCertificate: Buffer.from(ca) });

const identityOf = ({ certificate, key }: Complete) => ({
  certificate: Buffer.from(certificate),
  privateKey: Buffer.from(key),
});
