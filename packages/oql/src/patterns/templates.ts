import { type Sql, sql } from '../sql/sql.ts';
import { firstWords, keysOf, shapeText, wordsOf } from './words.ts';

/** A position with at most this many different words is part of the template; with more, it is a value. */
const MOST_FORMS = 4;
/** If texts of one length have more different first words than this, the first word is a value. */
const MOST_FIRST_WORDS = 100;

/** Adds a column for an expression and returns a reference to it; a window sees all rows. */
export interface Steps {
  readonly column: (value: Sql) => Sql;
  readonly window: (value: Sql) => Sql;
}

/**
 * Log templates: each row has an example of one masked shape, and gets the template of all similar shapes.
 *
 * Shapes with the same number of words and the same first word begin as one group. A position at which a group has two to four
 * different words, none of them a value, splits the group by that word; this happens twice. Words that still differ within a
 * group become `*`. The tree of fixed depth by length and first word is from Drain (P. He, J. Zhu, Z. Zheng, M. R. Lyu, ICWS 2017);
 * the split by positions with few words is from A. Makanju, A. N. Zincir-Heywood, E. E. Milios, "Clustering Event Logs Using
 * Iterative Partitioning", KDD 2009. The result does not depend on the order or the frequency of the shapes.
 *
 * `npm run bench -- patterns FOLDER` prints its grouping accuracy on LogHub's sixteen sets; decision 0081 has the reasons.
 */
export function templateOf(example: Sql, { column, window }: Steps): Sql {
  const words = column(firstWords(column(wordsOf(column(shapeText(example))))));
  const keys = column(keysOf(words));
  const isValue = column(sql`arrayMap(k -> k = '*', ${keys})`);
  const openings = window(sql`uniqUpTo(${MOST_FIRST_WORDS})(${keys}[1]) OVER (PARTITION BY length(${keys}))`);
  const alike = column(sql`cityHash64(length(${keys}), if(${openings} <= ${MOST_FIRST_WORDS}, ${keys}[1], ''))`);
  const split = (group: Sql): Sql => {
    const over = sql`OVER (PARTITION BY ${group})`;
    const seen = window(sql`tuple(uniqUpToForEach(${MOST_FORMS})(${keys}) ${over}, maxForEach(${isValue}) ${over})`);
    const tells = sql`(k, forms, value) -> forms BETWEEN 2 AND ${MOST_FORMS} AND NOT value`;
    const telling = sql`arrayFilter(${tells}, ${keys}, tupleElement(${seen}, 1), tupleElement(${seen}, 2))`;
    return column(sql`cityHash64(${group}, ${telling})`);
  };
  const over = sql`OVER (PARTITION BY ${split(split(alike))})`;
  const seen = window(sql`tuple(minForEach(${words}) ${over}, uniqUpToForEach(1)(${words}) ${over})`);
  const shown = sql`(word, forms) -> if(forms = 1, word, if(startsWith(word, ' '), ' *', '*'))`;
  return column(sql`arrayStringConcat(arrayMap(${shown}, tupleElement(${seen}, 1), tupleElement(${seen}, 2)))`);
}
