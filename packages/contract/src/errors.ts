/** Blocks of codes, by their first digit: the headings of the list of errors. A code outside of them does not compile. */
export const errorBlocks = {
  1: 'Protocol',
  2: 'Identity',
  3: 'Access',
  4: 'Flags',
  5: 'Telemetry',
  6: 'Workspace resources',
  7: 'Alerting, SLOs, dashboards and experiments',
} as const;
type ErrorCode = `SVC-${keyof typeof errorBlocks}${number}`;

/** Every error that the API returns. A code is assigned once and never changes its meaning: clients match on it. */
export interface ErrorDefinition {
  readonly code: ErrorCode;
  readonly status: number;
  /** Text for people; `parameters` come from the code that fails. */
  readonly message: (parameters: Readonly<Record<string, string | number>>) => string;
}

function defineErrors<const T extends Record<string, { code: ErrorCode; status: number; message: string }>>(table: T) {
  const entries = Object.entries(table).map(([name, { code, status, message }]) => [
    name,
    {
      code,
      status,
      message: (p: Readonly<Record<string, string | number>>) =>
        message.replace(/\{(\w+)\}/g, (whole, key: string) => String(p[key] ?? whole)),
    },
  ]);
  return Object.fromEntries(entries) as { readonly [K in keyof T]: ErrorDefinition };
}

export const errors = defineErrors({
  // 1xxx protocol
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
  SERVER_STARTING: { code: 'SVC-1027', status: 503, message: 'the server is starting; try again' },
  NOT_ACCEPTABLE: { code: 'SVC-1013', status: 406, message: 'unsupported Accept header: use {forms}' },
  MALFORMED_REQUEST: { code: 'SVC-1014', status: 400, message: 'malformed HTTP request: {reason}' },
  HEADERS_TOO_LARGE: { code: 'SVC-1015', status: 431, message: 'the request headers are larger than 16 KiB' },
  CLIENT_LEFT: { code: 'SVC-1024', status: 499, message: 'the client closed the connection before the response' },
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
  BODY_TOO_COMPLEX: {
    code: 'SVC-1026',
    status: 413,
    message: 'the JSON of the body has more than {limit} {what}: send less at once',
  },
  BODIES_LIMITED: {
    code: 'SVC-1025',
    status: 429,
    message: 'you send more than this server reads from one caller; try again in {seconds} s',
  },
  // 2xxx identity
  UNAUTHENTICATED: { code: 'SVC-2001', status: 401, message: 'authentication required: {reason}' },
  LOGIN_FAILED: { code: 'SVC-2002', status: 401, message: 'wrong e-mail address or password' },
  LOGIN_LIMITED: { code: 'SVC-2003', status: 429, message: 'too many login attempts; try again in {seconds} s' },
  SIGNUP_CLOSED: { code: 'SVC-2004', status: 403, message: 'this server allows sign-up by invitation only' },
  EMAIL_TAKEN: {
    code: 'SVC-2005',
    status: 409,
    message: 'an account with this e-mail address already exists; log in instead',
  },
  PASSWORD_WRONG: { code: 'SVC-2006', status: 403, message: 'the current password is wrong' },
  OIDC_PROVIDER_NOT_FOUND: { code: 'SVC-2007', status: 404, message: 'unknown sign-in provider: {slug}' },
  OIDC_FAILED: { code: 'SVC-2008', status: 401, message: 'sign-in with {slug} failed: {reason}' },
  INVITATION_NOT_FOUND: {
    code: 'SVC-2009',
    status: 404,
    message: 'the invitation does not exist, was used or withdrawn, or has expired',
  },
  INVITATION_FOR_OTHER: { code: 'SVC-2010', status: 403, message: 'the invitation is for another e-mail address' },
  // 3xxx access
  CROSS_ORIGIN: {
    code: 'SVC-3001',
    status: 403,
    message: 'cross-origin request rejected: a change with a session cookie must come from {origin}',
  },
  WRONG_CREDENTIAL: {
    code: 'SVC-3002',
    status: 403,
    message: 'wrong kind of credential: {reason}',
  },
  PERMISSION_DENIED: { code: 'SVC-3006', status: 403, message: 'permission denied: {permission} required' },
  ESCALATION: {
    code: 'SVC-3007',
    status: 403,
    message: 'you cannot grant a permission that you do not have: {permission}',
  },
  // 4xxx flags
  FLAG_NOT_FOUND: { code: 'SVC-4001', status: 404, message: 'no flag has the key {key}' },
  FLAG_EXISTS: {
    code: 'SVC-4002',
    status: 409,
    message: 'a flag with the key {key} already exists: choose another key',
  },
  STALE_VERSION: {
    code: 'SVC-4003',
    status: 409,
    message: 'stale version {given}: version {current} is current; reload and try again',
  },
  TARGETING_INVALID: { code: 'SVC-4004', status: 422, message: 'invalid targeting: {reason}' },
  FLAG_ARCHIVED: { code: 'SVC-4005', status: 409, message: 'the flag {key} is archived' },
  FLAG_NOT_ARCHIVED: {
    code: 'SVC-4006',
    status: 409,
    message: 'the flag {key} is not archived: archive it before you delete it',
  },
  FLAG_IN_USE: { code: 'SVC-4007', status: 409, message: 'the flag {key} is a prerequisite of {users}' },
  VARIANT_IN_USE: {
    code: 'SVC-4008',
    status: 409,
    message: 'the variant {variant} is still served by {users}: remove it there first',
  },
  PREREQUISITES_INVALID: { code: 'SVC-4009', status: 422, message: 'invalid prerequisites: {reason}' },
  PREREQUISITE_CYCLE: { code: 'SVC-4010', status: 409, message: 'the prerequisites form a cycle: {cycle}' },
  SEGMENT_NOT_FOUND: { code: 'SVC-4011', status: 404, message: 'no segment has the key {key}' },
  SEGMENT_INVALID: { code: 'SVC-4012', status: 422, message: 'invalid segment: {reason}' },
  SEGMENT_CYCLE: { code: 'SVC-4013', status: 409, message: 'the segment rules form a cycle: {cycle}' },
  SEGMENT_IN_USE: { code: 'SVC-4014', status: 409, message: 'the segment {key} is used by {users}' },
  CHANGE_NOT_FOUND: { code: 'SVC-4015', status: 404, message: 'no change has the id {id}' },
  CHANGE_STATE: { code: 'SVC-4016', status: 409, message: 'the change is already {status}' },
  SELF_APPROVAL: { code: 'SVC-4017', status: 403, message: 'you cannot approve your own change: ask another reviewer' },
  RAMP_NOT_FOUND: { code: 'SVC-4018', status: 404, message: 'the flag {key} has no ramp in this environment' },
  RAMP_ACTIVE: {
    code: 'SVC-4019',
    status: 409,
    message: 'a ramp controls the fallthrough of {key}: abort the ramp first',
  },
  RAMP_INVALID: { code: 'SVC-4020', status: 422, message: 'invalid ramp: {reason}' },
  RAMP_STATE: { code: 'SVC-4021', status: 409, message: 'the ramp is {status}' },
  CHANGE_KIND_UNKNOWN: {
    code: 'SVC-4030',
    status: 409,
    message: 'unknown kind of change {kind}: apply it with a newer server',
  },
  // 5xxx telemetry
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
  // 6xxx workspace resources
  NOT_FOUND: { code: 'SVC-6001', status: 404, message: 'no such {resource}' },
  WORKSPACE_REQUIRED: {
    code: 'SVC-6002',
    status: 400,
    message: 'you are a member of several workspaces: add ?workspace= with one of {workspaces}',
  },
  KEY_TAKEN: {
    code: 'SVC-6003',
    status: 409,
    message: '{resource} called {key} already exists: choose another name or key',
  },
  ALREADY_MEMBER: { code: 'SVC-6004', status: 409, message: '{email} is already a member' },
  ACCOUNT_NOT_FOUND: {
    code: 'SVC-6005',
    status: 404,
    message: 'no account has this e-mail address; invite it instead',
  },
  LAST_OWNER: {
    code: 'SVC-6006',
    status: 409,
    message: 'a workspace needs an owner: make another member an owner first',
  },
  ROLE_BUILT_IN: { code: 'SVC-6007', status: 409, message: 'the built-in role {name} cannot be changed' },
  ROLE_IN_USE: {
    code: 'SVC-6008',
    status: 409,
    message: 'the role {name} is in use by {count} members, grants or invitations',
  },
  CONFIRMATION_REQUIRED: {
    code: 'SVC-6009',
    status: 422,
    message: 'this also deletes everything in it: confirm with ?confirm={name}',
  },
  LAST_ENVIRONMENT: {
    code: 'SVC-6010',
    status: 409,
    message: 'a project needs an environment: create another one first',
  },
  LIMIT_REACHED: { code: 'SVC-6011', status: 422, message: 'limit reached: at most {limit} {resource}' },

  // 7xxx alerting
  ALERT_RULE_INVALID: { code: 'SVC-7001', status: 422, message: 'invalid alert rule: {reason}' },
  SLO_INVALID: { code: 'SVC-7050', status: 422, message: 'invalid SLO: {reason}' },
  RECORDING_RULE_INVALID: { code: 'SVC-7051', status: 422, message: 'invalid recording rule: {reason}' },
  ALERT_RULE_OF_SLO: {
    code: 'SVC-7052',
    status: 409,
    message: 'this alert rule belongs to an SLO: change the SLO {slo}, or turn its burn_alerts off',
  },
  CHANNEL_INVALID: { code: 'SVC-7010', status: 422, message: 'invalid channel: {reason}' },
  CHANNEL_IN_USE: {
    code: 'SVC-7011',
    status: 409,
    message: 'the channel {name} is used by {users}: remove it there first',
  },
  CHANNEL_SECRETS_REQUIRED: {
    code: 'SVC-7012',
    status: 422,
    message: 'the address of the channel changed: give its secrets again ({secrets})',
  },
  CHANNEL_EXISTS: {
    code: 'SVC-7013',
    status: 409,
    message: 'a channel with the name {name} already exists: choose another name',
  },
  ROUTING_POLICY_INVALID: { code: 'SVC-7030', status: 422, message: 'invalid routing policy: {reason}' },
  ROUTING_POLICY_ROOT: {
    code: 'SVC-7031',
    status: 409,
    message: 'the root policy takes every alert: it has no matchers and no parent, and cannot be deleted',
  },
  ROUTING_POLICY_CIRCLE: {
    code: 'SVC-7032',
    status: 409,
    message: 'the policy {name} cannot be below itself: choose another parent',
  },
  ROUTING_POLICY_IN_USE: {
    code: 'SVC-7033',
    status: 409,
    message: 'the policy {name} has children: move or delete them first',
  },
  SILENCE_INVALID: { code: 'SVC-7034', status: 422, message: 'invalid silence: {reason}' },
  INHIBITION_RULE_INVALID: { code: 'SVC-7035', status: 422, message: 'invalid inhibition rule: {reason}' },

  // 713x judging
  METRIC_INVALID: { code: 'SVC-7130', status: 422, message: 'invalid metric: {reason}' },
  METRIC_BUILT_IN: {
    code: 'SVC-7131',
    status: 409,
    message: 'the metric {key} is built in and cannot be changed: create one with another key',
  },
  EXPERIMENT_ACTIVE: {
    code: 'SVC-7132',
    status: 409,
    message: '{holder} controls the fallthrough of {key} in this environment: end it first',
  },
  EXPERIMENT_INVALID: { code: 'SVC-7133', status: 422, message: 'invalid experiment: {reason}' },
  EXPERIMENT_STATE: { code: 'SVC-7134', status: 409, message: 'the experiment is {state}: {advice}' },
  GUARDED_RELEASE_NOT_FOUND: {
    code: 'SVC-7135',
    status: 404,
    message: 'the flag {key} has no guarded release in this environment',
  },
  GUARDED_RELEASE_INVALID: { code: 'SVC-7136', status: 422, message: 'invalid guarded release: {reason}' },
  GUARDED_RELEASE_STATE: { code: 'SVC-7137', status: 409, message: 'the guarded release is {state}: {advice}' },
  ERROR_GROUP_NOT_FOUND: {
    code: 'SVC-7220',
    status: 404,
    message: 'no such error occurred in this window: choose a longer one',
  },
  DASHBOARD_INVALID: { code: 'SVC-7100', status: 422, message: 'invalid dashboard: {reason}' },
  DASHBOARD_FROM_FILE: {
    code: 'SVC-7101',
    status: 409,
    message: 'this dashboard comes from the file {source}: change it there, or copy it',
  },
  VARIABLE_INVALID: { code: 'SVC-7102', status: 422, message: 'invalid value of a variable: {reason}' },
  SNAPSHOT_TOO_LARGE: {
    code: 'SVC-7200',
    status: 422,
    message:
      'the data of the snapshot is larger than {limit} bytes: choose a shorter window, or a dashboard with fewer panels',
  },
  PANEL_NOT_SPLIT: { code: 'SVC-7202', status: 422, message: 'the panel cannot be split by a flag: {reason}' },
  SNAPSHOT_TOO_LONG: { code: 'SVC-7201', status: 422, message: 'a snapshot is kept for at most {limit} days' },
  DASHBOARD_NOT_GRAFANA: { code: 'SVC-7103', status: 422, message: 'not a dashboard of Grafana: {reason}' },
});

export type ErrorName = keyof typeof errors;

/** One invalid place in the input, or a helpful fact (then `path` is the fact's name). */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
  readonly [fact: string]: unknown;
}
