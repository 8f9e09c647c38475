import { identifier, type Sql } from '../sql/sql.ts';
import { templateOf } from './templates.ts';

/**
 * `SELECT *, … AS template` over a statement that returns one row for each masked shape: for statements that return more about
 * patterns than the stage `patterns`, with the same groups. Also adds columns named `tN`.
 * @param example the column with a text of the shape
 */
export function withTemplates(statement: string, example: string): string {
  let from = statement;
  let columns = 0;
  const column = (value: Sql): Sql => {
    const name = `t${++columns}`;
    from = `SELECT *, ${written(value)} AS ${name} FROM (${from})`;
    return identifier(name);
  };
  const template = templateOf(identifier(example), { column, window: column });
  return `SELECT *, ${written(template)} AS template FROM (${from})`;
}

/** Templates consist only of text and names. */
function written(value: Sql): string {
  if (value.kind !== 'text') throw new Error(`templates hold no ${value.kind}`);
  return value.args.reduce((text, arg, i) => text + written(arg) + (value.parts[i + 1] ?? ''), value.parts[0] ?? '');
}
