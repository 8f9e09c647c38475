import type { Tree } from '@fanion/oql';
import {
  attribute,
  call,
  dedup,
  exists,
  extend,
  field,
  inQuery,
  int,
  joinLeft,
  keep,
  pipeline,
  sort,
  spanKey,
  stats,
  where,
} from './oql-tree.ts';
import type { Expression, Field } from './traceql/tree.ts';

/** What a span has of other spans of its trace in the window: the attributes of its parent, and how many children it has. */

const parent = 'above';
const children = 'below';

const parentKey = () => call('concat', field('trace_id'), field('parent_span_id'));

/** Of the parent; null without one. */
export const parentAttribute = (map: 'attr' | 'resource', name: string): Tree.Path => attribute(map, name, parent);

/** Where `relatedStages` stand before. */
export const childCount = (): Tree.Expression => call('coalesce', field(`${children}.n`), int(0n));

const isOfParent = (one: Field) => one.kind === 'attribute' && one.isOfParent === true;
const isChildCount = (one: Field) => one.kind === 'intrinsic' && one.name === 'span:childCount';

/** The stages that bring what the columns of some fields read of other spans; none for most fields. */
export function relatedStages(fields: readonly Field[]): Tree.Stage[] {
  return [
    ...(fields.some(isOfParent)
      ? [extend([['parent_key', parentKey()]]), joinLeft(firstByKey(), 'parent_key', parent)]
      : []),
    ...(fields.some(isChildCount)
      ? [extend([['own_key', spanKey()]]), joinLeft(childCounts(), 'own_key', children)]
      : []),
  ];
}

/** Of spans with one id, the first one is the parent, as in a search. */
function firstByKey(): Tree.Pipeline {
  return pipeline('spans', extend([['parent_key', spanKey()]]), sort(field('time')), dedup('parent_key'));
}

/** The number of children by the key of a span, for spans with children. Repeated ids of children count once. */
function childCounts(): Tree.Pipeline {
  return pipeline(
    'spans',
    where(exists(field('parent_span_id'))),
    extend([['own_key', parentKey()]]),
    stats([['n', call('count_distinct', field('span_id'))]], [['own_key', field('own_key')]]),
  );
}

/** Spans whose number of children, which is not 0, meets a condition. */
export function parentsWith(condition: (count: Tree.Path) => Tree.Expression): Tree.Expression {
  const { source, stages } = childCounts();
  return inQuery(spanKey(), {
    source,
    stages: [...stages, where(condition(field('n'))), keep('own_key')],
    start: 0,
    end: 0,
  });
}

/** A condition on columns that read other spans, as one that may stand anywhere. */
export function amongRelated(fields: readonly Field[], condition: Tree.Expression): Tree.Expression {
  const stages = relatedStages(fields);
  if (stages.length === 0) return condition;
  return inQuery(spanKey(), pipeline('spans', ...stages, where(condition), extend([['key', spanKey()]]), keep('key')));
}

export function fieldsIn(expression: Expression): Field[] {
  switch (expression.kind) {
    case 'static':
      return [];
    case 'field':
      return [expression.field];
    case 'unary':
      return fieldsIn(expression.operand);
    case 'binary':
      return [...fieldsIn(expression.left), ...fieldsIn(expression.right)];
  }
}
