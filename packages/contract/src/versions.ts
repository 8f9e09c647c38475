import { z } from 'zod';
import { maxVersion } from './primitives.ts';
import type { AnyRoute } from './route.ts';

/*
 * One rule for versions. A request that replaces a whole document (PUT) names the version that it replaces, so that nobody
 * overwrites a change that they have not seen. A PATCH changes only what it names, and compares the version only if it
 * gets one. `If-Match: "3"` can take the place of the field. `contract.test.ts` checks that every route follows the rule.
 */

const version = (missing?: string) =>
  z
    .number(missing === undefined ? undefined : { error: ({ input }) => (input === undefined ? missing : undefined) })
    .int()
    .min(0)
    .max(maxVersion);

/** What a client does that has left the version out. */
export const versionMissing =
  'send the `version` that you have read, in the body or as If-Match: "<version>", so that you overwrite no change that you have not seen';

/** Of a PUT: the document exists. */
export const ReplacedVersion = version(versionMissing).meta({
  description: 'the version that you have read; another one is refused. The header If-Match can take its place',
});

/** Of a PUT that may be the first one. The handler calls `requireVersion` where the document exists. */
export const VersionUnlessFirst = version().optional().meta({
  description:
    'the version that you have read; another one is refused. Required unless nothing was written yet. The header If-Match can take its place',
});

/** Of a PATCH, and of actions. */
export const VersionIfKnown = version().optional().meta({
  description:
    'refuses the change if another version is current; without it, what the body names is changed in any case',
});

/** Whether a request to this route is made for a version of the resource at its path, and so `If-Match` can name it. */
export function takesIfMatch({ method, bodies, body }: Pick<AnyRoute, 'method' | 'bodies' | 'body'>): boolean {
  return (
    (method === 'PUT' || method === 'PATCH') &&
    bodies === 'envelope' &&
    body instanceof z.ZodObject &&
    Object.hasOwn(body.shape, 'version')
  );
}
