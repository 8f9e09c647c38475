import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * The responses of OpenFeature's Remote Evaluation Protocol 0.3, as schemas of our own: exactly what its OpenAPI
 * document requires, so that a response that only our own document allows fails.
 */
const metadata = { type: 'object', additionalProperties: { type: ['boolean', 'string', 'number'] } };
const reason = { enum: ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'DEFAULT', 'CACHED', 'UNKNOWN'] };
const details = { errorDetails: { type: 'string' }, metadata };

/** Without a value it is the protocol's `codeDefaultFlag`: the default in the caller's code applies. */
const success = {
  type: 'object',
  required: ['key', 'reason'],
  properties: { key: { type: 'string' }, reason, variant: { type: 'string' }, value: {}, metadata },
  not: { required: ['errorCode'] },
};

const failure = (codes: readonly string[]) => ({
  type: 'object',
  required: ['key', 'errorCode'],
  properties: { key: { type: 'string' }, errorCode: { enum: codes }, ...details },
  not: { required: ['value'] },
});
const wholeFailure = {
  type: 'object',
  required: ['errorCode'],
  properties: {
    errorCode: { enum: ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'GENERAL'] },
    ...details,
  },
};
const generalFailure = { type: 'object', properties: { errorDetails: { type: 'string' } } };
const codes = ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'GENERAL'];

const eventStream = {
  type: 'object',
  required: ['type'],
  oneOf: [{ required: ['url'] }, { required: ['endpoint'] }],
  properties: {
    type: { type: 'string' },
    url: { type: 'string', format: 'uri' },
    endpoint: {
      type: 'object',
      required: ['requestUri'],
      properties: { origin: { type: 'string' }, requestUri: { type: 'string', pattern: '^/' } },
    },
    inactivityDelaySec: { type: 'integer', minimum: 1 },
  },
};

const answers: Readonly<Record<'single' | 'bulk', Readonly<Record<number, object>>>> = {
  single: {
    200: success,
    400: failure(codes),
    404: failure(['FLAG_NOT_FOUND']),
    401: generalFailure,
    403: generalFailure,
    429: generalFailure,
    500: generalFailure,
    503: generalFailure,
  },
  bulk: {
    200: {
      type: 'object',
      required: ['flags'],
      properties: {
        flags: { type: 'array', items: { oneOf: [success, failure([...codes, 'FLAG_NOT_FOUND'])] } },
        metadata,
        eventStreams: { type: 'array', items: eventStream },
      },
    },
    400: wholeFailure,
    401: generalFailure,
    403: generalFailure,
    429: generalFailure,
    500: generalFailure,
    503: generalFailure,
  },
};

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { uri: true } });
const validators = new Map<object, ValidateFunction>();

/** Throws if a response does not match the protocol. A 304 has no body. */
export function checkOfrep(
  kind: 'single' | 'bulk',
  { status, json, headers }: { status: number; json: unknown; headers: Headers },
): void {
  if (kind === 'bulk' && (status === 200 || status === 304) && !headers.get('etag')?.startsWith('"'))
    throw new Error('a bulk answer has no entity tag');
  if (kind === 'bulk' && status === 304) {
    if (json !== undefined) throw new Error('a 304 has a body');
    return;
  }
  const schema = answers[kind][status];
  if (schema === undefined) throw new Error(`${status} is not a status of the protocol for ${kind}`);
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  if (!validate(json))
    throw new Error(`${kind} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(json)?.slice(0, 500)}`);
}
