/**
 * The one part of Kubernetes' client that is used. A file of its own, to be imported when it is needed: a bundle leaves out
 * what nobody names, and the rest is large.
 */
export { KubeConfig } from '@kubernetes/client-node';
