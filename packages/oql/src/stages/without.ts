import type { Context } from '../check/context.ts';
import type { Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { taggedValue } from '../check/tagged.ts';
import type { Value } from '../check/value.ts';
import { list, type Sql, sql, text } from '../sql/sql.ts';
import type { Path } from '../syntax/ast.ts';
import { printPath } from '../syntax/print.ts';

/** The column of `without`. */
export const LABELS = 'labels';

/** Fields of every point that are attributes of its resource too. */
const ALSO_ATTRIBUTES: ReadonlySet<string> = new Set(['service.name']);

/**
 * The labels of a series apart from some: its attributes and those of its resource, as a map of texts. An attribute of the
 * series hides one of the resource with its name. Undefined where there are no labels, which is reported.
 */
export function labelsWithout(paths: readonly Path[], input: Relation, ctx: Context): Value | undefined {
  const attributes = input.rows?.intrinsic('attributes');
  const resource = input.rows?.intrinsic('resource');
  const [first] = paths;
  if (!first || input.rows?.signal !== 'metric' || !attributes || !resource) {
    if (first && !input.unknown) {
      const message =
        '`without` groups by the other labels of a metric: use it after `metric NAME`, or name the keys with `by`.';
      ctx.error('NOT_ON_SOURCE', first, message);
    }
    return undefined;
  }
  const left: { readonly signal: string[]; readonly resource: string[] } = { signal: [], resource: [] };
  for (const path of paths) {
    const value = resolve(path, rowsOf(input, ctx));
    if (value.broken) return undefined;
    const name = path.segments.join('.');
    const use = ctx.attributes.get(printPath(path));
    if (!use && !ALSO_ATTRIBUTES.has(name)) {
      ctx.error(
        'NOT_AVAILABLE',
        path,
        `\`${name}\` is not a label: labels are the attributes of a series and of its resource.`,
      );
      return undefined;
    }
    const keys = use ? use.keys.flatMap((key) => (typeof key === 'string' ? [key] : [])) : [name];
    if (use?.scope !== 'resource') left.signal.push(...keys);
    if (!use || use.scope === 'resource' || use.scope === 'either') left.resource.push(...keys);
  }
  const labels = sql`mapUpdate(${but(resource, left.resource)}, ${but(attributes, left.signal)})`;
  return taggedValue(sql`concat('j', toJSONString(mapSort(${labels})))`);
}

/** The entries of a typed map whose keys are others. An empty label is none. */
function but({ sql: typed }: Value, keys: readonly string[]): Sql {
  const isOther = keys.length > 0 ? sql` AND NOT k IN (${list(keys.map(text))})` : sql``;
  return sql`mapFilter((k, v) -> v != ''${isOther}, ${typed}.1)`;
}
