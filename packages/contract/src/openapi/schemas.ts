import { z } from 'zod';
import { componentNames } from './names.ts';

export type Json = Record<string, unknown>;

/** The metadata of schemas, with the names of components as the ids that zod makes references of. */
function registryOf(names: ReadonlyMap<unknown, string>): typeof z.globalRegistry {
  const registry: Pick<typeof z.globalRegistry, 'get'> = {
    get(schema) {
      const id = names.get(schema);
      const meta = z.globalRegistry.get(schema);
      return id === undefined ? meta : { ...meta, id };
    },
  };
  return registry as typeof z.globalRegistry;
}

/** zod's bounds of an integer without any say only that doubles hold it exactly. */
function withoutImpliedBounds(schema: Json): void {
  if (schema.type !== 'integer') return;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum !== Number.MAX_SAFE_INTEGER) return;
  delete schema.maximum;
  schema.format = 'int64';
}

/** A tuple of equal items, as a list of that many: generators of clients know no tuples. */
function asList(schema: Json): void {
  const { prefixItems, items } = schema as { prefixItems?: readonly Json[]; items?: unknown };
  if (prefixItems === undefined || items !== false) return;
  if (new Set(prefixItems.map((item) => JSON.stringify(item))).size > 1) return;
  delete schema.prefixItems;
  Object.assign(schema, { items: prefixItems[0], minItems: prefixItems.length, maxItems: prefixItems.length });
}

interface Form {
  /** The schemas by their keys: references where they have a name. */
  readonly roots: Readonly<Record<string, Json>>;
  readonly definitions: Readonly<Record<string, Json>>;
}

/** JSON Schema 2020-12 of all schemas at once, so that each name is described once. */
function formOf(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
  names: ReadonlyMap<unknown, string>,
): Form {
  const { properties = {}, $defs = {} } = z.toJSONSchema(z.object(schemas), {
    io,
    unrepresentable: 'any',
    metadata: registryOf(names),
    override: ({ jsonSchema }) => {
      withoutImpliedBounds(jsonSchema as Json);
      asList(jsonSchema as Json);
    },
  }) as { properties?: Record<string, Json>; $defs?: Record<string, Json> };
  const unnamed = Object.keys($defs).find((name) => name.startsWith('__'));
  if (unnamed !== undefined)
    throw new Error(
      `a schema that contains itself has no name: add it to componentNames: ${JSON.stringify($defs[unnamed])}`,
    );
  return { roots: properties, definitions: $defs };
}

const reference = '#/$defs/';
export const componentReference = '#/components/schemas/';

function namesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { $ref } = node as Json;
  return [
    ...(typeof $ref === 'string' && $ref.startsWith(reference) ? [$ref.slice(reference.length)] : []),
    ...Object.values(node).flatMap(namesIn),
  ];
}

function renamed<T>(node: T, nameOf: (name: string) => string): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => renamed(item, nameOf)) as T;
  const entries = Object.entries(node).map(([key, value]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(reference)
      ? [key, componentReference + nameOf(value.slice(reference.length))]
      : [key, renamed(value, nameOf)],
  );
  return Object.fromEntries(entries) as T;
}

/** Whether a schema has parts that a generated client would have to name. */
function isComposite(schema: Json): boolean {
  return (
    (schema.type === 'object' && schema.properties !== undefined) ||
    schema.anyOf !== undefined ||
    schema.oneOf !== undefined
  );
}

/** Gives the unnamed composite roots their keys as names, except those of `plain`. */
function withNamedRoots({ roots, definitions }: Form, plain: object = {}): Form {
  const hoisted = Object.entries(roots).filter(
    ([key, schema]) => schema.$ref === undefined && isComposite(schema) && !Object.hasOwn(plain, key),
  );
  for (const [name] of hoisted) if (Object.hasOwn(definitions, name)) throw new Error(`two schemas are called ${name}`);
  return {
    roots: { ...roots, ...Object.fromEntries(hoisted.map(([name]) => [name, { $ref: reference + name }])) },
    definitions: { ...definitions, ...Object.fromEntries(hoisted) },
  };
}

export interface Schemas {
  /** Of requests: fields with defaults are optional. */
  readonly input: Readonly<Record<string, Json>>;
  /** Of responses. */
  readonly output: Readonly<Record<string, Json>>;
  readonly components: Readonly<Record<string, Json>>;
}

/**
 * JSON Schema of requests and responses. A named schema becomes one component; two where what is sent differs from what is
 * answered, the first with the suffix `Input`. A key becomes the name of its schema if that has none, but not of a query.
 */
export function describeSchemas(
  queries: Readonly<Record<string, z.ZodType>>,
  requests: Readonly<Record<string, z.ZodType>>,
  responses: Readonly<Record<string, z.ZodType>>,
  names: ReadonlyMap<unknown, string> = componentNames,
): Schemas {
  const input = withNamedRoots(formOf({ ...queries, ...requests }, 'input', names), queries);
  const output = withNamedRoots(formOf(responses, 'output', names));
  const shared = Object.keys(input.definitions).filter((name) => Object.hasOwn(output.definitions, name));
  const differing = new Set(
    shared.filter((name) => JSON.stringify(input.definitions[name]) !== JSON.stringify(output.definitions[name])),
  );
  for (let before = -1; before !== differing.size; ) {
    before = differing.size;
    for (const name of shared)
      if (namesIn(input.definitions[name]).some((one) => differing.has(one))) differing.add(name);
  }
  const inputName = (name: string) => (differing.has(name) ? `${name}Input` : name);
  for (const name of differing)
    if (Object.hasOwn(input.definitions, inputName(name)) || Object.hasOwn(output.definitions, inputName(name)))
      throw new Error(`${inputName(name)} is the form of ${name} in requests, and another schema`);
  const outputName = (name: string) => name;
  const components = [
    ...Object.entries(input.definitions).map(
      ([name, schema]) => [inputName(name), renamed(schema, inputName)] as const,
    ),
    ...Object.entries(output.definitions).map(([name, schema]) => [name, renamed(schema, outputName)] as const),
  ];
  return {
    input: renamed(input.roots, inputName),
    output: renamed(output.roots, outputName),
    components: Object.fromEntries(components.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
