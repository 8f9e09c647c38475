import type { AnyRoute } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, prepare, redirected, sendAsOwner } from './support/operations.ts';
import { startWorld, type Tenant, type World } from './support/world.ts';

type Path = readonly (string | number)[];
const changes = allRoutes.filter(({ reads, auth }) => !reads && (auth === 'user' || auth === 'session'));

/** Where a body has a text. */
function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([name, inner]) => textsIn(inner, [...path, name]));
}

function replaced(value: unknown, [name, ...rest]: Path, text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.map((inner, i) => (i === name ? replaced(inner, rest, text) : inner));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: replaced(fields[name], rest, text) };
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair, and one of them in a JSON column was an internal error. */
describe('text that cannot be stored', () => {
  let world: World;
  let ada: Tenant;
  beforeAll(async () => {
    world = await startWorld();
    ada = world.ada;
  }, 120_000);
  afterAll(() => world?.stop());

  it.each(changes.map((route): [string, AnyRoute] => [route.id, route]))(
    '%s rejects it everywhere',
    async (_id, route) => {
      const operation = await prepare(route, ada);
      for (const path of textsIn(operation.body)) {
        for (const text of ['a\0b', '\ud83d a', 'a \ude00']) {
          const body = replaced(operation.body, path, text);
          const answer = await sendAsOwner(ada, redirected(operation, { body }));
          expect(answer.status, `${path.join('.')}: ${answer.text}`).toBeGreaterThanOrEqual(400);
          expect(answer.status, `${path.join('.')}: ${answer.text}`).toBeLessThan(500);
        }
      }
    },
  );
});
