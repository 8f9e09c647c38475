import { Ajv } from 'ajv';

/*
 * The form of a configuration as flagd's schema has it (https://flagd.dev/schema/v0/flags.json and targeting.json, version 0.2.13), in our own
 * words, for what Fanion sends. flagd itself warns about anything else at every change, with a line for each expression. That takes longer than
 * reading the flags.
 */

const arg = { $ref: '#/definitions/arg' };
const rule = { $ref: '#/definitions/rule' };
const list = (items: object, least: number, most?: number) => ({
  ...{ type: 'array', items, minItems: least },
  ...(most !== undefined && { maxItems: most }),
});
const each = (operators: string, form: object) => Object.fromEntries(operators.split(' ').map((name) => [name, form]));

/** Objects with exactly one of these. */
const oneOf = (properties: object) => ({
  ...{ minProperties: 1, maxProperties: 1, additionalProperties: false },
  properties,
});

const semver = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$' };
const version = {
  anyOf: [semver, { type: 'object', ...oneOf({ var: {} }) }],
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
  // The hashed text is an expression, and there are at least two shares.
  fractional: { type: 'array', minItems: 3, items: [rule, share, share], additionalItems: share },
  sem_ver: {
    ...{ type: 'array', minItems: 3, maxItems: 3 },
    items: [version, { enum: ['=', '!=', '>', '<', '>=', '<=', '~', '^'] }, version],
  },
  var: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: [{ type: 'string' }] }] },
};

const schema = {
  definitions: {
    rule: { type: 'object', ...oneOf(operators) },
    // Lists and single values are arguments too.
    arg: oneOf({ ...operators, $ref: { type: 'string' } }),
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

/** Where a configuration first breaks flagd's schema, and how; undefined: nowhere. */
export function misfit(configuration: object): string | undefined {
  if (validate(configuration)) return undefined;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  return `${instancePath} ${message}`;
}
