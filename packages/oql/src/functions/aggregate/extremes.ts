import { exactExtreme, expected } from '../../check/integers.ts';
import { taggedBool } from '../../check/tagged.ts';
import type { OqlType } from '../../check/types.ts';
import type { Dynamic, Value } from '../../check/value.ts';
import { distributionQuantile } from '../../metrics/distribution.ts';
import { aggregate, NULL, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

type Side = 'min' | 'max';

function extreme(name: Side, doc: string, examples: AggregateFunction['examples']): AggregateFunction {
  return {
    kind: 'aggregate',
    name,
    doc,
    parameters: [{ name: 'of', type: ['quantity', 'timestamp', 'string', 'bool', 'any'] }],
    returns: ([of]) => (of?.dynamic ? typeOfAny(of.dynamic) : (of?.type ?? 'float')),
    nullable: true,
    weights: 'alike',
    histograms: true,
    exact: ([of]) => {
      const integers = of && expected(of);
      return integers && exactExtreme(name, of.sql, integers.sql);
    },
    sql: ([of]) => {
      if (of?.dynamic) return ofAny(name, of.dynamic);
      const numbers = aggregate(`${name}OrNull`, [of?.sql ?? NULL]);
      if (!of?.distribution) return numbers;
      const pick = sql`arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, ${name === 'min' ? sql`least(n, h)` : sql`greatest(n, h)`})`;
      return sql`${pick}, [${numbers}], [${extremeOfHistograms(name, of)}])[1]`;
    },
    examples,
  };
}

/** The recorded extreme, if every histogram of the group has one; otherwise the outer bound of the last bucket that is not empty. */
function extremeOfHistograms(name: Side, { distribution, recorded, observed }: Value): Sql {
  const byBuckets = distribution ? distributionQuantile(name === 'min' ? 0 : 1, distribution, NULL) : NULL;
  if (!recorded || !observed) return byBuckets;
  const missing = aggregate('countIf', [sql`(isNotNull(${observed.count}) AND isNull(${recorded[name]}))`]);
  return sql`arrayMap((m, r, b) -> if(m = 0, r, b), [${missing}], [${aggregate(`${name}OrNull`, [recorded[name]])}], [${byBuckets}])[1]`;
}

/** The extreme of an attribute that was only seen with numbers is a number; otherwise its type is known only from the answer. */
function typeOfAny({ seen }: Dynamic): OqlType {
  if (seen === undefined || seen.length === 0) return 'any';
  if (seen.every((type) => type === 'int')) return 'int';
  if (seen.every((type) => type === 'int' || type === 'float')) return 'float';
  return seen.every((type) => type === 'string') ? 'string' : 'any';
}

/** The extreme of values of several types: that of the numbers, if there are any, else of the texts, else of the booleans. */
function ofAny(name: 'min' | 'max', dynamic: Dynamic): Sql {
  const { read, tagged } = dynamic;
  const known = typeOfAny(dynamic);
  if (known === 'int' || known === 'float' || known === 'string') return aggregate(`${name}OrNull`, [read(known)]);
  const [float, int] = [read('float'), read('int')];
  // Whole numbers beyond 2^53 may be equal as floats.
  const number = aggregate(name === 'min' ? 'argMinOrNullIf' : 'argMaxOrNullIf', [
    tagged,
    sql`(assumeNotNull(${float}), ifNull(${int}, 0))`,
    sql`isNotNull(${float})`,
  ]);
  const text = aggregate(`${name}OrNull`, [read('string')]);
  const bool = aggregate(`${name}OrNull`, [read('bool')]);
  return sql`coalesce(${number}, concat('s', ${text}), ${taggedBool(bool)})`;
}

export const min = extreme(
  'min',
  'The smallest value; for text, the first in order. For an attribute: of its numbers, or if it has no numbers, of its texts. For a histogram: the minimum that its source recorded, or else the lower bound of the first non-empty bucket.',
  [
    ['min(x)', [3, 1, 2], 1],
    ['min(x)', ['b', 'a'], 'a'],
    ['min(x)', [], null],
  ],
);

export const max = extreme(
  'max',
  'The largest value; for text, the last in order. For an attribute: of its numbers, or if it has no numbers, of its texts. For a histogram: the maximum that its source recorded, or else the upper bound of the last non-empty bucket, or the last bound.',
  [
    ['max(x)', [3, 1, 2], 3],
    ['max(x)', [1.5, null], 1.5],
  ],
);
