import { outputColumns } from '../check/output.ts';
import type { Column, Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { Path } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';

/** Keeps only these columns; the rows are no longer those of a signal. */
function closed(input: Relation, columns: readonly Column[]): Relation {
  const { rows: _, beside: __, ...rest } = input;
  return { ...rest, columns };
}

/** The name of the column for a path. */
export function columnName(path: Path): string {
  const index = (path.index ?? []).map((one) => (typeof one === 'string' ? `.${one}` : `[${one}]`));
  return `${path.segments.join('.')}${index.join('')}`;
}

export const fields: StageDefinition<'fields'> = {
  kind: 'fields',
  syntax: 'fields NAME, …',
  doc: 'Keeps only these fields, in this order.',
  examples: ['logs | fields time, service.name, body | limit 20', 'spans | fields trace_id, duration'],
  check(stage, input, ctx) {
    const seen = new Set<string>();
    const columns = stage.paths.flatMap((path): Column[] => {
      const name = columnName(path);
      if (seen.has(name)) {
        ctx.error('DUPLICATE_NAME', path, `\`${name}\` is listed twice.`);
        return [];
      }
      seen.add(name);
      return [{ name, value: resolve(path, rowsOf(input, ctx)) }];
    });
    const { unknown: _, ...known } = input;
    return closed(known, columns);
  },
};

export const omit: StageDefinition<'omit'> = {
  kind: 'omit',
  syntax: 'omit NAME, …',
  doc: 'Removes these columns.',
  examples: ['logs | omit attributes, resource | limit 20'],
  check(stage, input, ctx) {
    const columns = outputColumns(input);
    const names = columns.map((column) => column.name);
    const omitted = new Set<string>();
    for (const path of stage.paths) {
      const name = columnName(path);
      omitted.add(name);
      if (names.includes(name) || input.unknown) continue;
      const near = ctx.nearest(name, names);
      const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
      ctx.error(
        'UNKNOWN_FIELD',
        path,
        `There is no column \`${name}\` to omit.${hint}`,
        near === undefined ? undefined : replaceWith(path, near),
      );
    }
    return closed(
      input,
      columns.filter((column) => !omitted.has(column.name)),
    );
  },
};
