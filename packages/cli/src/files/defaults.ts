import { z } from 'zod';
import { same } from './differences.ts';

/** The fields of an object that differ from what its schema fills in, in the order of the schema. */
export function withoutDefaults(schema: z.ZodObject, document: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([key, field]): [string, unknown][] => {
      const value = document[key];
      if (value === undefined) return [];
      if (field instanceof z.ZodDefault && same(field.def.defaultValue, value)) return [];
      const inner = field instanceof z.ZodDefault ? field.unwrap() : field;
      return [[key, inner instanceof z.ZodObject && isRecord(value) ? withoutDefaults(inner, value) : value]];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
