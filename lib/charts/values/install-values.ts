import { z } from 'zod';
import { version } from '../../../package.json';
import type { DeepReadonly } from '../../api/schema/deep-readonly';
import { objectNameSchema } from '../../api/schema/object-meta';
import { schemaNode } from '../../api/schema/schema-node';
import { ENVOY_GATEWAY_CONTROLLER } from '../../translate/cluster/names';
import rendered from '../envoy-gateway/rendered.json';
import { imageSchema, pullPolicySchema } from './image';
import { podSettings } from './pod-settings';

const text = z.string();
const textMap = z.record(text, text);
/** A namespace, or empty. */
const namespaceSchema = z
  .string()
  .max(63)
  .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/)
  .default('');

const namespaceSettingsSchema = z
  .strictObject({
    create: z.boolean().default(false).meta({
      description:
        'Whether the namespace of the installation is one of its objects. Not with Helm, which makes it itself (`--create-namespace`).',
    }),
  })
  .meta({ typeName: 'NamespaceSettings' });

const serviceAccountSchema = z
  .strictObject({
    annotations: textMap.default({}).meta({
      description:
        'Annotations, such as `eks.amazonaws.com/role-arn` with the role that may import certificates into ACM.',
    }),
  })
  .meta({ typeName: 'ServiceAccountSettings' });

const controllerSchema = z
  .strictObject({
    ...podSettings({
      replicas: 2,
      resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    }),
    serviceAccount: serviceAccountSchema.prefault({}).meta({ description: 'Account of the controller.' }),
  })
  .meta({ typeName: 'ControllerSettings' });

const envoyGatewaySchema = z
  .strictObject({
    enabled: z.boolean().default(true).meta({
      description: 'Whether Envoy Gateway is installed too. False where there is one already.',
    }),
    controllerName: text.min(1).default(ENVOY_GATEWAY_CONTROLLER).meta({
      description: 'Controller name that Envoy Gateway answers to; of the one that is there already, if it is used.',
    }),
    namespace: namespaceSchema.meta({
      description:
        'Namespace of the Envoy Gateway that is there already, which runs the Envoys in it; only where `enabled` is false. Empty: that of the installation.',
    }),
    image: imageSchema({ registry: 'docker.io', repository: 'envoyproxy/gateway', tag: rendered.version })
      .prefault({})
      .meta({ description: 'Image of Envoy Gateway.' }),
    ...podSettings({
      replicas: 2,
      resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    }),
  })
  .meta({ typeName: 'EnvoyGatewaySettings' });

const envoySchema = z
  .strictObject({
    image: imageSchema({
      registry: 'docker.io',
      repository: 'envoyproxy/envoy',
      tag: rendered.envoyTag,
      optional: true,
    })
      .prefault({})
      .meta({ description: 'Image of the Envoys. With an empty repository Envoy Gateway chooses.' }),
  })
  .meta({ typeName: 'EnvoySettings' });

const crdsSchema = z
  .strictObject({
    manage: z.boolean().default(true).meta({
      description:
        'Whether the controller applies CustomResourceDefinitions and keeps them up to date. False where others do; it waits until they are there.',
    }),
  })
  .meta({ typeName: 'CrdSettings' });

const monitoringSchema = z
  .strictObject({
    namespace: namespaceSchema.meta({
      description: 'Only pods of this namespace may read metrics pages. Empty: those of every namespace may.',
    }),
    collectorImage: imageSchema({ repository: '', tag: '', optional: true }).prefault({}).meta({
      description:
        'Image of the OpenTelemetry collector beside routers and pickers. With an empty repository there is none, whatever `spec.observability.metrics` says.',
    }),
  })
  .meta({ typeName: 'MonitoringSettings' });

const networkPolicySchema = z
  .strictObject({
    enabled: z.boolean().default(true).meta({
      description: 'Whether only who needs to may connect to the controller and to Envoy Gateway.',
    }),
  })
  .meta({ typeName: 'NetworkPolicySettings' });

/** What an installation may set: the values of the Helm chart, and the properties of the constructs. */
export const installValuesSchema = z
  .strictObject({
    namespace: namespaceSettingsSchema.prefault({}).meta({ description: 'The namespace of the installation.' }),
    imageRegistry: text.default('').meta({
      description: 'Registry of all images, in place of the one that each has. Empty: each its own.',
    }),
    imagePullSecrets: z.array(objectNameSchema).default([]).meta({
      description:
        'Names of Secrets for pulling images, also by Envoys, routers and pickers: one of each name in the namespace of the installation, in that of the Envoys, and in every one that has a gateway.',
    }),
    image: imageSchema({ repository: 'inference-gateway', tag: version })
      .prefault({})
      .meta({ description: 'Image of the controller, the routers and the pickers.' }),
    imagePullPolicy: pullPolicySchema.default('IfNotPresent').meta({ description: 'When images are pulled.' }),
    ipFamily: z.enum(['IPv4', 'IPv6', 'DualStack']).default('IPv4').meta({
      description: 'Addresses of the pods of the cluster.',
      typeName: 'InstallIpFamily',
    }),
    clusterDomain: text.min(1).default('cluster.local').meta({ description: 'DNS domain of the cluster.' }),
    controller: controllerSchema.prefault({}).meta({ description: 'The controller.' }),
    envoyGateway: envoyGatewaySchema.prefault({}).meta({ description: 'Envoy Gateway, which runs the Envoys.' }),
    envoy: envoySchema.prefault({}).meta({ description: 'The Envoys.' }),
    crds: crdsSchema.prefault({}).meta({ description: 'CustomResourceDefinitions.' }),
    monitoring: monitoringSchema.prefault({}).meta({ description: 'Who reads metrics, and how.' }),
    networkPolicy: networkPolicySchema.prefault({}).meta({ description: 'Network policies of the installation.' }),
  })
  .meta({ typeName: 'InstallValues' });

/** With all defaults filled in. */
export type CompleteInstallValues = DeepReadonly<z.output<typeof installValuesSchema>>;

/** The same schema as plain data. */
export const installValuesNode = schemaNode(installValuesSchema);
