import { Ajv } from 'ajv';

/*
 * The form of a configuration as flagd's schema has it (https://flagd.dev/schema/v0/flags.json and targeting.json, version 0.2.13), described anew
 * for what Fanion sends. flagd and its providers for Go and Java warn about other forms at every change, with a line for each expression; that
 * takes longer than to read the flags.
 */

const arg = { $ref: '#/definitions/arg' };
const rule = { $ref: '#/definitions/rule' };
const list = (items: object, least: number, most?: number) => ({
  ...{ type: 'array', items, minItems: least },
  ...(most !== undefined && { maxItems: most }),
});
const each = (operators: string, form: object) => Object.fromEntries(operators.split(' ').map((name) => [name, form]));

const semver = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$' };
const version = {
  anyOf: [semver, { type: 'object', required: ['var'], additionalProperties: false, properties: { var: {} } }],
};
const share = { type: 'array', minItems: 1, maxItems: 2, items: [{ type: 'string' }, { type: 'number' }] };

const operators = {
  ...each('if or and + - merge cat', list(arg, 1)),
  ...each('=== !== > >= % / map some in', list(arg, 2, 2)),
  ...each('< <= substr', list(arg, 2, 3)),
  ...each('*', list(arg, 2)),
  ...each('!', list(arg, 1, 1)),
  ...each('reduce', list(arg, 3, 3)),
  ...each('starts_with ends_with', list({ anyOf: [{ type: 'string' }, rule] }, 2, 2)),
  // What is hashed is no plain text, and there are two shares at least.
  fractional: { type: 'array', minItems: 3, items: [rule, share, share], additionalItems: share },
  sem_ver: {
    ...{ type: 'array', minItems: 3, maxItems: 3 },
    items: [version, { enum: ['=', '!=', '>', '<', '>=', '<=', '~', '^'] }, version],
  },
  var: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: [{ type: 'string' }] }] },
};

const schema = {
  definitions: {
    rule: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: false, properties: operators },
    reference: {
      type: 'object',
      required: ['$ref'],
      additionalProperties: false,
      properties: { $ref: { type: 'string' } },
    },
    arg: {
      if: { type: 'object' },
      // biome-ignore lint/suspicious/noThenProperty: JSON schema has this name.
      then: { if: { required: ['$ref'] }, then: { $ref: '#/definitions/reference' }, else: rule },
    },
    flag: {
      type: 'object',
      required: ['state', 'variants'],
      properties: {
        state: { enum: ['ENABLED', 'DISABLED'] },
        defaultVariant: { type: ['string', 'null'] },
        variants: { type: 'object', minProperties: 1 },
        targeting: rule,
        metadata: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
      },
    },
  },
  type: 'object',
  properties: {
    $evaluators: { type: 'object', additionalProperties: rule },
    flags: { type: 'object', additionalProperties: { $ref: '#/definitions/flag' } },
  },
};

const validate = new Ajv({ strict: false }).compile(schema);

/** The first place of a configuration that flagd's schema does not allow, and why; undefined: there is none. */
export function misfit(configuration: object): string | undefined {
  if (validate(configuration)) return undefined;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  return `${instancePath} ${message}`;
}
