/** A refusal with its HTTP status, in vLLM's terms; `errorBody` puts it into the answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** 400 for a request that breaks the API's rules; `param` names the field. */
export function invalidRequest(message: string, param: string | null = null): ApiError {
  return new ApiError(400, 'BadRequestError', message, param);
}

/** vLLM's JSON for an error. */
export function errorBody(error: ApiError): unknown {
  return { error: { message: error.message, type: error.type, param: error.param, code: error.status } };
}

/** The client went away (or the socket was destroyed on command): nothing is left to answer. */
export class ClientGone extends Error {}
