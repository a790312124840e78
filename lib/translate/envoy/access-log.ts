/** One line a request: JSON, so that nothing a client sends can end a line or a field. */
export const ACCESS_LOG_FIELDS = {
  time: '%START_TIME%',
  request_id: '%REQ(X-REQUEST-ID)%',
  method: '%REQ(:METHOD)%',
  path: '%PATH(NQ)%',
  status: '%RESPONSE_CODE%',
  details: '%RESPONSE_CODE_DETAILS%',
  flags: '%RESPONSE_FLAGS%',
  cluster: '%UPSTREAM_CLUSTER%',
  endpoint: '%UPSTREAM_REMOTE_ADDRESS%',
  attempts: '%UPSTREAM_REQUEST_ATTEMPT_COUNT%',
  received_bytes: '%BYTES_RECEIVED%',
  sent_bytes: '%BYTES_SENT%',
  duration_ms: '%DURATION%',
} as const;
