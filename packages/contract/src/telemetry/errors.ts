import { defineErrors } from '../error-definition.ts';

export const telemetryErrors = defineErrors({
  OQL_INVALID: { code: 'SVC-5001', status: 422, message: 'invalid query: {reason}' },
  QUERY_TOO_EXPENSIVE: { code: 'SVC-5002', status: 422, message: 'the query exceeded a limit: {reason}' },
  QUERY_QUEUE_FULL: {
    code: 'SVC-5003',
    status: 429,
    message: 'too many concurrent queries ({running} running in this workspace); try again in a moment',
  },
  TRACE_NOT_FOUND: {
    code: 'SVC-5004',
    status: 404,
    message: 'no trace has the id {trace_id}; it may not have arrived yet',
  },
  SERVICE_NOT_FOUND: { code: 'SVC-5005', status: 404, message: 'unknown service: {name}' },
  WINDOW_INVALID: { code: 'SVC-5006', status: 400, message: 'invalid time window: {reason}' },
  RESULT_TOO_LARGE: {
    code: 'SVC-5007',
    status: 422,
    message: 'the {what} is larger than {limit}: {advice}',
  },
  TOO_MANY_CHANGES: {
    code: 'SVC-5008',
    status: 422,
    message:
      'the window has more than {limit} changes, or their texts are too long: choose a shorter window or a project',
  },
  PROMETHEUS_PARAMETER_INVALID: { code: 'SVC-5009', status: 400, message: 'invalid parameter "{name}": {reason}' },
  PROMQL_FAILED: { code: 'SVC-5010', status: 422, message: '{reason}' },
  PROMQL_INVALID: { code: 'SVC-5011', status: 422, message: 'invalid PromQL: {reason}' },
  JAEGER_REQUEST_INVALID: { code: 'SVC-5015', status: 400, message: '{reason}' },
  NO_TRACES_FOUND: { code: 'SVC-5016', status: 404, message: 'No traces found' },
  TEMPO_PARAMETER_INVALID: { code: 'SVC-5021', status: 400, message: 'invalid parameter "{name}": {reason}' },
  TRACEQL_INVALID: { code: 'SVC-5022', status: 400, message: 'invalid TraceQL query: {reason}' },
  LOKI_PARAMETER_INVALID: { code: 'SVC-5023', status: 400, message: '{reason}' },
  LOGQL_FAILED: { code: 'SVC-5024', status: 400, message: '{reason}' },
  ERROR_GROUP_NOT_FOUND: {
    code: 'SVC-7220',
    status: 404,
    message: 'no such error occurred in this window: choose a longer one',
  },
});
