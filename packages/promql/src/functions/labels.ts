import { type Column, merged } from '../columns.ts';
import { PromqlError } from '../error.ts';
import { type LabelSet, type LabelSets, labelOf } from '../label-sets.ts';
import { isLabelName, METRIC_NAME } from '../labels.ts';
import { compilePattern } from '../pattern.ts';
import { LABEL_UNITS, type Work } from '../work.ts';

export interface LabelContext {
  readonly sets: LabelSets;
  readonly work: Work;
}

/** `label_replace(v, destination, replacement, source, pattern)` */
export async function labelReplace(
  columns: readonly Column[],
  [destination = '', replacement = '', source = '', written = '']: readonly string[],
  { sets, work }: LabelContext,
): Promise<readonly Column[]> {
  const pattern = compilePattern(written);
  if (typeof pattern === 'string')
    throw new PromqlError('execution', `invalid regular expression in label_replace(): ${written}`);
  if (!isLabelName(destination))
    throw new PromqlError('execution', `invalid destination label name in label_replace(): ${destination}`);
  return relabeled(columns, destination, work, (labels) => {
    const matcher = pattern.matcher(labelOf(labels, source));
    if (!matcher.matches()) return undefined;
    const groupOf = (name: string) => {
      const index = /^\d+$/.test(name) ? Number(name) : pattern.namedGroups()[name];
      return index === undefined || index > matcher.groupCount() ? '' : (matcher.group(index) ?? '');
    };
    return sets.with(labels, destination, expanded(replacement, groupOf));
  });
}

/** Go's `Regexp.Expand`: `$1`, `$name`, `${name}`, `$$`. A name is as long as possible. */
function expanded(template: string, groupOf: (name: string) => string): string {
  return template.replace(/\$(?:(\$)|(\w+)|\{(\w+)\})/g, (_, dollar?: string, plain?: string, braced?: string) =>
    dollar === undefined ? groupOf(plain ?? braced ?? '') : '$',
  );
}

/** `label_join(v, destination, separator, source…)` */
export async function labelJoin(
  columns: readonly Column[],
  [destination = '', separator = '', ...sources]: readonly string[],
  { sets, work }: LabelContext,
): Promise<readonly Column[]> {
  const wrong = sources.find((source) => !isLabelName(source));
  if (wrong !== undefined) throw new PromqlError('execution', `invalid source label name in label_join(): ${wrong}`);
  if (!isLabelName(destination))
    throw new PromqlError('execution', `invalid destination label name in label_join(): ${destination}`);
  return relabeled(columns, destination, work, (labels) =>
    sets.with(labels, destination, sources.map((source) => labelOf(labels, source)).join(separator)),
  );
}

/** A name that was set here stays. */
async function relabeled(
  columns: readonly Column[],
  destination: string,
  work: Work,
  change: (labels: LabelSet) => LabelSet | undefined,
): Promise<readonly Column[]> {
  const changed = await work.map(columns, LABEL_UNITS, (column) => {
    const labels = change(column.labels);
    if (labels === undefined) return column;
    return { ...column, labels, dropsName: column.dropsName && destination !== METRIC_NAME };
  });
  return merged(changed);
}
