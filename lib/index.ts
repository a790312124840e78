/* What a user of the library imports. */
export * from './api/generated/inference-gateway-config';
