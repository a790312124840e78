import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Ingress, V1ObjectMeta, V1Service } from '@kubernetes/client-node';
import { type ApiObject, type Informer, keyOf, startInformer } from '../api/informer';
import { ApiRefusal } from '../api/request';
import type { Cluster } from '../cluster';
import type { CertificateManager } from './certificate-manager';
import { type LoadBalancer, type LoadBalancerOptions, makeLoadBalancer } from './load-balancer';
import { TARGET_GROUP_BINDINGS } from './target-group-binding';

export const NLB_CLASS = 'service.k8s.aws/nlb';

/** To make, and to remove, a load balancer takes minutes in reality. Milliseconds. */
const MAKE_MS = 500;
const REMOVE_MS = 1_500;

const ANNOTATION = {
  network: 'service.beta.kubernetes.io/aws-load-balancer-',
  application: 'alb.ingress.kubernetes.io/',
};

interface TargetGroupBinding extends ApiObject {
  readonly spec: { readonly targetGroupARN: string };
}

/** What one kind of object has a load balancer, or a binding, made for. */
interface Subject {
  /** Undefined: nothing is to be there. */
  readonly wanted: { readonly certificate: string | undefined } | undefined;
  readonly path: string;
  readonly finalizer: string;
}

/** Stands in for the AWS Load Balancer Controller, which cannot run without AWS. */
export interface LoadBalancerController {
  /** Load balancers that are there. */
  balancers(): readonly LoadBalancer[];
  close(): Promise<void>;
}

/**
 * Follows Services of its class, Ingresses of class `alb` and TargetGroupBindings, with the finalizers of the real one. It
 * takes its time, and notes in the journal what it has done.
 */
export async function startLoadBalancerController(
  cluster: Cluster,
  acm: CertificateManager,
  journal: string[],
): Promise<LoadBalancerController> {
  const { client, access, hosts, services } = cluster;
  await cluster.apply(TARGET_GROUP_BINDINGS);
  const bindingsPath = '/apis/elbv2.k8s.aws/v1beta1/targetgroupbindings';
  await cluster.until('TargetGroupBindings are served', () => client.find(bindingsPath));
  const ingresses = await startInformer<V1Ingress>(access, '/apis/networking.k8s.io/v1/ingresses');
  const bindings = await startInformer<TargetGroupBinding>(access, bindingsPath);
  const balancers = new Map<string, LoadBalancer>();
  let closed = false;

  const setFinalizer = async (metadata: V1ObjectMeta, { path, finalizer }: Subject, isSet: boolean) => {
    const others = (metadata.finalizers ?? []).filter((one) => one !== finalizer);
    if (others.length === (metadata.finalizers ?? []).length - (isSet ? 1 : 0)) return;
    await client.merge(path, { metadata: { finalizers: isSet ? [...others, finalizer] : others } });
  };
  const setStatus = ({ path }: Subject, ingress: readonly object[]) =>
    client.merge(`${path}/status`, { status: { loadBalancer: ingress.length === 0 ? null : { ingress } } });
  const remove = async (key: string, balancer: LoadBalancer) => {
    journal.push(`${balancer.name} is being removed`);
    await sleep(REMOVE_MS);
    await balancer.close();
    hosts.delete(balancer.hostname);
    balancers.delete(key);
    journal.push(`${balancer.name} is removed`);
  };
  const make = async (key: string, kind: LoadBalancerOptions['kind'], certificate: string | undefined) => {
    const target = services.get(key)?.spec?.clusterIP;
    if (target === undefined) return undefined;
    await sleep(MAKE_MS);
    const balancer = await makeLoadBalancer({ kind, name: key.split('/')[1]!, certificate, target, acm });
    balancers.set(`${kind} ${key}`, balancer);
    hosts.set(balancer.hostname, balancer.ip);
    journal.push(`${balancer.name} is made`);
    return balancer;
  };
  const syncBalancer = async (kind: LoadBalancerOptions['kind'], object: V1Service | V1Ingress, subject: Subject) => {
    const id = `${kind} ${keyOf(object)}`;
    const present = balancers.get(id);
    if (subject.wanted === undefined) {
      if (!object.metadata?.finalizers?.includes(subject.finalizer)) return;
      if (present !== undefined) await remove(id, present);
      await setStatus(subject, []);
      await setFinalizer(object.metadata, subject, false);
      return;
    }
    await setFinalizer(object.metadata!, subject, true);
    const { certificate } = subject.wanted;
    // It makes no listener for a certificate that is not there.
    if (certificate !== undefined && !acm.certificates.has(certificate)) return;
    const balancer = present ?? (await make(keyOf(object), kind, certificate));
    if (balancer === undefined) return;
    balancer.show(certificate);
    const [shown] = object.status?.loadBalancer?.ingress ?? [];
    if (shown?.hostname !== balancer.hostname) await setStatus(subject, [{ hostname: balancer.hostname }]);
  };
  const syncBinding = async (object: TargetGroupBinding, subject: Subject) => {
    const isSet = subject.wanted !== undefined;
    if (isSet === (object.metadata?.finalizers?.includes(subject.finalizer) ?? false)) return;
    journal.push(`${object.spec.targetGroupARN} is ${isSet ? 'bound' : 'unbound'}`);
    await setFinalizer(object.metadata!, subject, isSet);
  };

  const workers: Promise<void>[] = [];
  const follow = <T extends ApiObject>(informer: Informer<T>, sync: (object: T) => Promise<void>) => {
    const work = new Map<string, Promise<void>>();
    const enqueue = (key: string) => {
      const next = (work.get(key) ?? Promise.resolve()).then(async () => {
        const object = informer.get(key);
        if (closed || object === undefined) return;
        await sync(object).catch((error: unknown) => {
          // It has changed, or is gone: there is a change to come.
          if (!(error instanceof ApiRefusal)) throw error;
        });
      });
      work.set(key, next);
      workers.push(next);
    };
    informer.onChange((object) => enqueue(keyOf(object)));
    return enqueue;
  };
  follow(services, (service) => syncBalancer('network', service, serviceSubject(service)));
  const ofIngress = follow(ingresses, (ingress) => syncBalancer('application', ingress, ingressSubject(ingress)));
  services.onChange((service) => ofIngress(keyOf(service)));
  follow(bindings, (binding) => syncBinding(binding, bindingSubject(binding)));

  return {
    balancers: () => [...balancers.values()],
    async close() {
      closed = true;
      await Promise.all([ingresses.close(), bindings.close()]);
      await Promise.all(workers);
      await Promise.all([...balancers.values()].map((balancer) => balancer.close()));
    },
  };
}

const isGoing = ({ metadata }: ApiObject) => metadata?.deletionTimestamp !== undefined;

function serviceSubject(service: V1Service): Subject {
  const { metadata, spec } = service;
  const isOurs = spec?.type === 'LoadBalancer' && spec.loadBalancerClass === NLB_CLASS && !isGoing(service);
  return {
    wanted: isOurs ? { certificate: metadata?.annotations?.[`${ANNOTATION.network}ssl-cert`] } : undefined,
    path: `/api/v1/namespaces/${metadata!.namespace}/services/${metadata!.name}`,
    finalizer: 'service.k8s.aws/resources',
  };
}

function ingressSubject(ingress: V1Ingress): Subject {
  const { metadata, spec } = ingress;
  const isOurs = spec?.ingressClassName === 'alb' && !isGoing(ingress);
  // A listener for HTTPS needs one.
  const certificate = metadata?.annotations?.[`${ANNOTATION.application}certificate-arn`] ?? 'none';
  return {
    wanted: isOurs ? { certificate } : undefined,
    path: `/apis/networking.k8s.io/v1/namespaces/${metadata!.namespace}/ingresses/${metadata!.name}`,
    finalizer: 'ingress.k8s.aws/resources',
  };
}

function bindingSubject(binding: TargetGroupBinding): Subject {
  const { namespace, name } = binding.metadata!;
  return {
    wanted: isGoing(binding) ? undefined : { certificate: undefined },
    path: `/apis/elbv2.k8s.aws/v1beta1/namespaces/${namespace}/targetgroupbindings/${name}`,
    finalizer: 'elbv2.k8s.aws/resources',
  };
}
