import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes, errorsOf } from './index.ts';
import type { AnyRoute } from './route.ts';
import { ReplacedVersion, takesIfMatch, VersionUnlessFirst } from './versions.ts';

/** PUT of what is no document: whoever sets it last is right. */
const statements = ['error_groups.set_state'];

const writes = allRoutes.filter(
  ({ method, bodies }) => (method === 'PUT' || method === 'PATCH') && bodies === 'envelope',
);
const shapeOf = ({ body }: AnyRoute): z.ZodRawShape => (body instanceof z.ZodObject ? body.shape : {});
const versionOf = (route: AnyRoute) => shapeOf(route).version as z.ZodType | undefined;
const isVersioned = ({ response }: AnyRoute) =>
  response instanceof z.ZodObject && response.shape.version instanceof z.ZodNumber;
const takesNothing = (version: z.ZodType) => version.safeParse(undefined).success;

describe('the rule for versions', () => {
  it.each(
    writes.filter(({ method, id }) => method === 'PUT' && !statements.includes(id)).map((r) => [r.id, r] as const),
  )('%s names the version that it replaces', (_id, route) => {
    const version = versionOf(route);
    expect(version, 'declare `version: ReplacedVersion`, or `VersionUnlessFirst`').toBeDefined();
    expect(isVersioned(route), 'the answer returns the new version').toBe(true);
    if (version === undefined) return;
    // One that may be left out is checked by the handler: `requireVersion`.
    if (takesNothing(version)) expect(version.description).toContain('Required unless');
    else expect(version.safeParse(undefined).error?.issues[0]?.message).toContain('send the `version`');
  });

  it.each(writes.filter(({ method }) => method === 'PATCH').map((r) => [r.id, r] as const))(
    '%s compares a version only if it gets one',
    (_id, route) => {
      expect(versionOf(route) !== undefined, 'takes `version` if its answer has one').toBe(isVersioned(route));
      if (isVersioned(route)) expect(takesNothing(versionOf(route) as z.ZodType)).toBe(true);
    },
  );

  it.each(allRoutes.filter((route) => versionOf(route) !== undefined && !route.reads).map((r) => [r.id, r] as const))(
    '%s answers 409 for a stale version',
    (_id, route) => {
      expect(errorsOf(route).get(409)).toContain('STALE_VERSION');
    },
  );

  it.each(writes.filter(takesIfMatch).map((r) => [r.id, r] as const))(
    '%s has a GET at its path, whose answer a 409 carries',
    (_id, { path }) => {
      expect(allRoutes.some((route) => route.method === 'GET' && route.path === path)).toBe(true);
    },
  );

  it('accepts versions from 0, as whole numbers', () => {
    for (const version of [ReplacedVersion, VersionUnlessFirst]) {
      expect(version.safeParse(0).success).toBe(true);
      for (const wrong of [-1, 1.5, '3', null]) expect(version.safeParse(wrong).success).toBe(false);
    }
  });
});
