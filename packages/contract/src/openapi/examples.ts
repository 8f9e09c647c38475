import { componentReference, type Json } from './schemas.ts';
import { exampleKeys, exampleParameters, exampleValues } from './values.ts';

interface Place {
  /** The component that has the field. */
  readonly component: string;
  readonly field: string;
  /** Components on the way to this schema, which might contain themselves. */
  readonly within: readonly string[];
}

/** Where `exampleValues` has nothing; a test finds it. */
export const filler = '(text)';

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes examples of schemas from what these say, and else from `exampleValues`. `created` has for components what people send
 * to create one: their examples show the same.
 */
export class ExampleMaker {
  readonly #components: Readonly<Record<string, Json>>;
  readonly #created: ReadonlyMap<string, unknown>;

  constructor(components: Readonly<Record<string, Json>>, created: ReadonlyMap<string, unknown>) {
    this.#components = components;
    this.#created = created;
  }

  exampleOf(schema: Json): unknown {
    return this.#make(schema, { component: '', field: '', within: [] });
  }

  #known(schema: Json, { component, field }: Place): { value: unknown } | undefined {
    for (const key of [`${component}.${field}`, field]) {
      if (!Object.hasOwn(exampleValues, key)) continue;
      const value = exampleValues[key];
      if (this.#accepts(schema, value)) return { value };
    }
    return undefined;
  }

  #componentOf($ref: string): Json {
    return this.#components[$ref.slice(componentReference.length)] ?? {};
  }

  /** Whether a value is of the type of a schema, as far as an example needs it. */
  #accepts(schema: Json, value: unknown): boolean {
    if (typeof schema.$ref === 'string') return this.#accepts(this.#componentOf(schema.$ref), value);
    const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
    if (choices !== undefined) return choices.some((choice) => this.#accepts(choice, value));
    if (schema.const !== undefined) return schema.const === value;
    if (Array.isArray(schema.enum)) return schema.enum.includes(value);
    if (typeof value === 'string' && typeof schema.pattern === 'string' && !new RegExp(schema.pattern).test(value))
      return false;
    if (schema.type === undefined) return true;
    const types = [schema.type].flat();
    if (value === null) return types.includes('null');
    if (Array.isArray(value))
      return types.includes('array') && value.every((item) => this.#accepts((schema.items ?? {}) as Json, item));
    if (typeof value === 'number')
      return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
    return types.includes(typeof value);
  }

  #make(schema: Json, place: Place): unknown {
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if (typeof schema.$ref === 'string') {
      const name = schema.$ref.slice(componentReference.length);
      if (place.within.includes(name)) return undefined;
      const target = this.#componentOf(schema.$ref);
      const inside = { component: name, field: place.field, within: [...place.within, name] };
      const found = target.type === 'object' ? undefined : this.#known(target, place);
      const made = found === undefined ? this.#make(target, inside) : found.value;
      return this.#created.has(name) ? this.#merged(target, made, this.#created.get(name)) : made;
    }
    const found = this.#known(schema, place);
    if (found !== undefined) return found.value;
    if (schema.default !== undefined) return schema.default;
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
    if (choices !== undefined) {
      for (const choice of choices) {
        const made = choice.type === 'null' ? undefined : this.#make(choice, place);
        if (made !== undefined) return made;
      }
      return choices.some(({ type }) => type === 'null') ? null : undefined;
    }
    switch ([schema.type].flat().find((type) => type !== 'null')) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#array(schema, place);
      case 'string':
        return filler;
      case 'integer':
        return number(schema, true);
      case 'number':
        return number(schema, false);
      case 'boolean':
        return true;
      default:
        return [schema.type].flat().includes('null') ? null : filler;
    }
  }

  #array({ items, prefixItems, minItems }: Json, place: Place): unknown[] {
    const singular = { ...place, field: place.field.replace(/s$/, '') };
    const made = ((prefixItems ?? [items ?? {}]) as Json[]).map((item) => this.#make(item, singular));
    if (made.includes(undefined)) return [];
    return [...made, ...Array(Math.max(0, Number(minItems ?? 0) - made.length)).fill(made[0])];
  }

  #object(schema: Json, { component, field: name, within }: Place): Json {
    if (schema.properties === undefined && isObject(schema.additionalProperties)) {
      const key = exampleKeys[name] ?? 'key';
      return { [key]: this.#make(schema.additionalProperties, { component, field: key, within }) };
    }
    const { properties = {}, required } = schema as { properties?: Record<string, Json>; required?: string[] };
    // What is optional is mostly of other kinds of the same thing.
    const fields = Object.entries(properties).filter(([field]) => required === undefined || required.includes(field));
    const made = fields.map(
      ([field, property]) => [field, this.#make(property, { component, field, within })] as const,
    );
    return Object.fromEntries(made.filter(([, value]) => value !== undefined));
  }

  /** An example with the values of another one, as far as its schema has them. */
  #merged(schema: Json, example: unknown, other: unknown): unknown {
    if (typeof schema.$ref === 'string') return this.#merged(this.#componentOf(schema.$ref), example, other);
    if (isObject(schema.properties) && isObject(other)) {
      const base = isObject(example) ? example : {};
      const fields = Object.entries(schema.properties as Record<string, Json>).flatMap(([field, property]) => {
        const value = Object.hasOwn(other, field) ? this.#merged(property, base[field], other[field]) : base[field];
        return value === undefined ? [] : [[field, value]];
      });
      return Object.fromEntries(fields);
    }
    if (isObject(schema.items) && Array.isArray(other)) {
      const [first] = Array.isArray(example) ? example : [];
      return other.map((item) => this.#merged(schema.items as Json, first, item));
    }
    return !isObject(other) && this.#accepts(schema, other) ? other : example;
  }
}

function number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Json, whole: boolean): number {
  const least = Number(minimum ?? exclusiveMinimum ?? 0);
  const most = Number(maximum ?? exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  if (!whole && most <= 1) return (least + most) / 2;
  return Math.min(Math.max(least, 1), most);
}

/** A message of an error, with values in place of the words in braces. */
export function exampleMessage(message: (parameters: Readonly<Record<string, string | number>>) => string): string {
  return message(exampleParameters);
}
