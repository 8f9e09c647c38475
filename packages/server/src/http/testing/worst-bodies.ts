import type { AnyRoute, BodyLimit } from '@fanion/contract';
import { z } from 'zod';

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/** Puts many items into one place of a body. */
type Fill = (items: readonly unknown[]) => unknown;

const deepest = 5;
const items: readonly unknown[] = [{}, [], '', 0];

/**
 * Bodies of a route that have as many values as its limit allows, all in one list or object that its schema walks: the most
 * expensive ones to check, since each item is wrong or tried against every form.
 */
export function* worstBodies(route: AnyRoute, limit: BodyLimit): Generator<unknown> {
  if (route.body instanceof z.ZodUndefined) return;
  const schema = z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }) as Schema;
  for (const { fill, most } of placesOf(schema)) {
    for (const item of items) {
      const bytes = JSON.stringify(item).length + 1;
      const count = Math.min(
        limit.values - 50,
        Math.floor(limit.bytes / bytes) - 100,
        most === 'members' ? limit.members : 1e9,
      );
      yield fill(Array.from({ length: count }, () => item));
    }
  }
}

/** The lists and open objects of a schema. */
function placesOf(root: Schema): { fill: Fill; most: 'items' | 'members' }[] {
  const found: { fill: Fill; most: 'items' | 'members' }[] = [];
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolved(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const walk = (given: Schema, around: (value: unknown) => unknown, depth: number): void => {
    const schema = resolved(given);
    if (depth > deepest) return;
    for (const form of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      walk(form, around, depth);
    if (schema.items !== undefined) {
      found.push({ fill: (many) => around(many), most: 'items' });
      walk(schema.items, (value) => around([value]), depth + 1);
    }
    const { properties = {}, additionalProperties: others } = schema;
    const constants = Object.entries(properties).flatMap(([name, of]) =>
      of.const === undefined ? [] : [[name, of.const]],
    );
    for (const [name, of] of Object.entries(properties))
      walk(of, (value) => around({ ...Object.fromEntries(constants), [name]: value }), depth + 1);
    if (typeof others === 'object') {
      found.push({
        fill: (many) => around(Object.fromEntries(many.map((value, i) => [`k${i}`, value]))),
        most: 'members',
      });
      walk(others, (value) => around({ k: value }), depth + 1);
    }
  };
  walk(root, (value) => value, 0);
  return found;
}
