import { defineErrors } from '../error-definition.ts';

export const systemErrors = defineErrors({
  INTERNAL: {
    code: 'SVC-1000',
    status: 500,
    message: 'internal error: look for the request id {request_id} in the server log',
  },
  MALFORMED_BODY: { code: 'SVC-1001', status: 400, message: 'malformed JSON body: {reason}' },
  INVALID_INPUT: { code: 'SVC-1002', status: 422, message: 'invalid input: {reason}' },
  INVALID_QUERY: { code: 'SVC-1003', status: 400, message: 'invalid query parameter: {reason}' },
  ROUTE_NOT_FOUND: { code: 'SVC-1004', status: 404, message: 'unknown route: {method} {path}' },
  METHOD_NOT_ALLOWED: { code: 'SVC-1005', status: 405, message: '{path} does not support {method}: use {allowed}' },
  BODY_TOO_LARGE: { code: 'SVC-1006', status: 413, message: 'the body is larger than {limit} bytes' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'SVC-1007', status: 415, message: 'unsupported media type: {type}' },
  RATE_LIMITED: { code: 'SVC-1008', status: 429, message: 'too many requests; try again in {seconds} s' },
  INVALID_CURSOR: {
    code: 'SVC-1009',
    status: 400,
    message: 'invalid cursor: use the next_cursor of a page of this list',
  },
  STORE_UNAVAILABLE: {
    code: 'SVC-1010',
    status: 503,
    message: 'the {store} is unavailable; try again',
  },
  IDEMPOTENCY_CONFLICT: {
    code: 'SVC-1011',
    status: 409,
    message:
      'this Idempotency-Key was used for another request, is in progress, or its response contained a secret and was not stored: use a new key',
  },
  SHUTTING_DOWN: { code: 'SVC-1012', status: 503, message: 'the server is shutting down; try again' },
  NOT_ACCEPTABLE: { code: 'SVC-1013', status: 406, message: 'unsupported Accept header: use {forms}' },
  MALFORMED_REQUEST: { code: 'SVC-1014', status: 400, message: 'malformed HTTP request: {reason}' },
  HEADERS_TOO_LARGE: { code: 'SVC-1015', status: 431, message: 'the request headers are larger than 16 KiB' },
  REQUEST_TIMEOUT: { code: 'SVC-1016', status: 408, message: 'the request did not arrive in time' },
  HOST_UNKNOWN: {
    code: 'SVC-1021',
    status: 400,
    message: 'unknown host {host}: set FANION_BASE_URL to the public address of this server',
  },
  EXPECTATION_FAILED: {
    code: 'SVC-1022',
    status: 417,
    message: 'unsupported Expect header: use 100-continue, or leave it out',
  },
  JSON_TOO_DEEP: {
    code: 'SVC-1023',
    status: 422,
    message: 'the JSON is nested more than {limit} levels deep: make it flatter',
  },
  CLIENT_LEFT: { code: 'SVC-1024', status: 499, message: 'the client closed the connection before the response' },
  BODIES_LIMITED: {
    code: 'SVC-1025',
    status: 429,
    message: 'you send more than this server reads from one caller; try again in {seconds} s',
  },
  BODY_TOO_COMPLEX: {
    code: 'SVC-1026',
    status: 413,
    message: 'the JSON of the body has more than {limit} {what}: send less at once',
  },
  SERVER_STARTING: { code: 'SVC-1027', status: 503, message: 'the server is starting; try again' },
});
