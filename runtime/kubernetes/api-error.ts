/** One fault of an object, as the API server found it. */
export interface ApiErrorCause {
  readonly reason: string;
  readonly message: string;
  /** Path of the field: `spec.ports[0].port`. */
  readonly field: string;
}

/** Where there was no usable answer (code 0); otherwise a reason is the API server's own, such as `NotFound`. */
export type NoAnswerReason = 'Unreachable' | 'Timeout' | 'Malformed' | 'TooLarge' | 'NoCredentials';

export interface ApiErrorDetails {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** Method and path. */
  readonly request: string;
  readonly causes?: readonly ApiErrorCause[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that the API server refused, or that brought no answer. The message is the API server's. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 where there was no usable answer. */
  readonly code: number;
  readonly reason: string;
  readonly request: string;
  readonly causes: readonly ApiErrorCause[];
  /** The API server asked to wait so long. */
  readonly retryAfterMs: number | undefined;

  constructor(details: ApiErrorDetails) {
    super(details.message, { cause: details.cause });
    this.code = details.code;
    this.reason = details.reason;
    this.request = details.request;
    this.causes = details.causes ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

export function isApiError(error: unknown, ...codes: readonly number[]): error is ApiError {
  return error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));
}

export function noAnswer(reason: NoAnswerReason, request: string, message: string, cause?: unknown): ApiError {
  return new ApiError({ code: 0, reason, request, message, cause });
}

/** `retryAfter`: the header, in seconds. `body`: a Status, or whatever a proxy on the way answered. */
export function refusal(code: number, body: string, request: string, retryAfter?: string): ApiError {
  const status = parseStatus(body);
  const seconds = Number(retryAfter ?? status?.details?.retryAfterSeconds ?? Number.NaN);
  return new ApiError({
    code,
    reason: status?.reason || `Status${code}`,
    message: status?.message || `the API server answered ${code}${body === '' ? '' : `: ${body.slice(0, 200).trim()}`}`,
    request,
    causes: (status?.details?.causes ?? []).map(({ reason = '', message = '', field = '' }) => ({
      reason,
      message,
      field,
    })),
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
  });
}

/** What is used of `v1 Status`. */
interface Status {
  readonly kind: 'Status';
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly Partial<ApiErrorCause>[];
    readonly retryAfterSeconds?: number;
  };
}

function parseStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
      ? (value as Status)
      : undefined;
  } catch {
    return undefined;
  }
}
