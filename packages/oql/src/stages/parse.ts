import type { Context } from '../check/context.ts';
import { regexFault } from '../check/regex.ts';
import { type Column, type Relation, withColumn } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { textValue } from '../check/store.ts';
import { tagged, taggedJson, taggedValue } from '../check/tagged.ts';
import { withArticle } from '../check/types.ts';
import { readAs, type Value } from '../check/value.ts';
import type { Definition } from '../plan/plan.ts';
import { column, list, type Sql, sql, text } from '../sql/sql.ts';
import type { Range, StageOf } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';
import { type Capture, type Captures, capturesOfPattern, capturesOfRegex } from './parse-pattern.ts';

export const parse: StageDefinition<'parse'> = {
  kind: 'parse',
  syntax: 'parse FIELD "text <name> <name:int>" | parse FIELD regex "…" | parse FIELD json | parse FIELD logfmt',
  doc: 'Extracts parts of a text as columns; null if the text does not match. After `json` and `logfmt`, every key is a field.',
  examples: [
    'logs | parse body "payment timeout for order <id:int>" | stats m=max(id)',
    String.raw`logs | parse body regex "served in (?<took>\\d+)ms" | stats p95=p95(int(took))`,
    'logs | parse body json | where action == "login" | count by user.name',
    'logs | parse body logfmt | count by path',
  ],
  check(stage, input, ctx) {
    const value = resolve(stage.source, rowsOf(input, ctx));
    if (value.broken) return { ...input, unknown: true };
    const read = readAs(value, 'string');
    if (!read) {
      ctx.error('TYPE_MISMATCH', stage.source, `\`parse\` needs text, not ${withArticle(value.type)}.`);
      return { ...input, unknown: true };
    }
    const of = read.nullable ? sql`ifNull(${read.sql}, '')` : read.sql;
    switch (stage.format.kind) {
      case 'json':
        return withKeys(input, (path) => jsonAt(of, path));
      case 'logfmt': {
        const id = ctx.fresh();
        const pairs: Definition = { id, value: sql`extractKeyValuePairs(${of}, '=', ' ', '"')` };
        const withPairs = { ...input, plan: { op: 'extend' as const, input: input.plan, columns: [pairs] } };
        return withKeys(withPairs, (path) => {
          const key = text(path.join('.'));
          return textValue(sql`if(mapContains(${column(id)}, ${key}), ${column(id)}[${key}], NULL)`);
        });
      }
      case 'regex':
      case 'pattern':
        return withCaptures(stage, input, of, ctx);
    }
  },
};

/** The keys of a text differ by row: a name that means nothing else is looked up among them. */
function withKeys(input: Relation, read: (path: readonly string[]) => Value): Relation {
  const { parsed } = input;
  const value = (path: readonly string[]): Value => {
    const own = read(path);
    return parsed ? taggedValue(sql`coalesce(${tagged(own)}, ${tagged(parsed(path))})`, true) : own;
  };
  return { ...input, parsed: value };
}

/** JSON log lines often contain numbers as strings, so both are read as numbers. */
function jsonAt(of: Sql, path: readonly string[]): Value {
  return taggedValue(taggedJson(sql`JSONExtractRaw(${of}, ${list(path.map(text))})`), true);
}

function withCaptures(stage: StageOf<'parse'>, input: Relation, of: Sql, ctx: Context): Relation {
  const { format } = stage;
  if (format.kind !== 'regex' && format.kind !== 'pattern') return input;
  const found = format.kind === 'regex' ? capturesOfRegex(format.text) : capturesOfPattern(format.text);
  const fault = typeof found === 'string' ? found : regexFault(found.regex);
  if (typeof found === 'string' || fault !== undefined) {
    ctx.error('INVALID_PATTERN', format.range, `Invalid pattern: ${fault}.`);
    return { ...input, unknown: true };
  }
  return captured(input, of, found, format.range, ctx);
}

function captured(input: Relation, of: Sql, { regex, captures }: Captures, range: Range, ctx: Context): Relation {
  const groups: Definition = { id: ctx.fresh(), value: sql`extractGroups(${of}, ${text(regex)})` };
  const definitions: Definition[] = [];
  let columns: readonly Column[] = input.columns;
  const seen = new Set<string>();
  for (const capture of captures) {
    if (seen.has(capture.name)) {
      ctx.error('DUPLICATE_NAME', range, `Two parts are called \`${capture.name}\`.`);
      continue;
    }
    seen.add(capture.name);
    const id = ctx.fresh();
    definitions.push({
      id,
      value: converted(capture, sql`if(empty(${column(groups.id)}), NULL, ${column(groups.id)}[${capture.group}])`),
    });
    const value: Value = { type: capture.type, sql: column(id), nullable: true };
    columns = withColumn(columns, { name: capture.name, value });
  }
  const plan = {
    op: 'extend' as const,
    input: { op: 'extend' as const, input: input.plan, columns: [groups] },
    columns: definitions,
  };
  return { ...input, plan, columns };
}

function converted({ type }: Capture, found: Sql): Sql {
  switch (type) {
    case 'int':
      return sql`toInt64OrNull(${found})`;
    case 'float':
      return sql`toFloat64OrNull(${found})`;
    default:
      return found;
  }
}
