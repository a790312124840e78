/**
 * What a worker reads from one connection before it turns to the others, and what it holds back for one. With Envoy's
 * 1 MiB a few fast uploads keep a small request waiting for tens of milliseconds at every step. Whole bodies are bounded
 * by the buffer filter, not by this.
 */
export const CONNECTION_BUFFER_BYTES = 65_536;
