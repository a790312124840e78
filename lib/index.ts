/* What a user of the library imports. */
export * from './api/generated/inference-gateway-config';
export * from './charts/generated/install-values';
export * from './charts/inference-gateway-chart';
export * from './charts/inference-gateway-config-chart';
