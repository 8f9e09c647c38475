import { type Matching, NoEqual } from './ast.ts';
import { bracketed, stagesOf, type Vector } from './vector.ts';

/**
 * A binary operator between two vectors: rows with the same labels belong together. Labels are texts here, empty where they
 * are missing.
 *
 * @param fresh a name for the rows of the other vector
 * @param compute the arithmetic of two expressions
 */
export function matched(
  op: string,
  bool: boolean,
  matching: Matching | undefined,
  left: Vector,
  right: Vector,
  fresh: () => string,
  compute: (left: string, right: string) => string,
): Vector {
  if (op === 'or') return either(matching, left, right);
  const group = matching?.group;
  if (group?.side === 'right') {
    const turned: Matching = {
      ...matching,
      mode: matching?.mode ?? 'ignoring',
      labels: matching?.labels ?? [],
      group: { ...group, side: 'left' },
    };
    return joined(op, bool, turned, right, left, fresh, (x, y) => compute(y, x), true);
  }
  if (op === 'and' || op === 'unless') return filtered(op, matching, left, right);
  return joined(op, bool, matching, left, right, fresh, compute, false);
}

interface Signature {
  /** Labels that both have. */
  readonly common: readonly string[];
  /** Labels that only one side has: rows belong together only where they are empty. */
  readonly onlyLeft: readonly string[];
  readonly onlyRight: readonly string[];
}

function signatureOf(matching: Matching | undefined, left: Vector, right: Vector): Signature {
  const matches = (label: string) =>
    matching === undefined || matching.labels.includes(label) === (matching.mode === 'on');
  return {
    common: left.labels.filter((label) => matches(label) && right.labels.includes(label)),
    onlyLeft: left.labels.filter((label) => matches(label) && !right.labels.includes(label)),
    onlyRight: right.labels.filter((label) => matches(label) && !left.labels.includes(label)),
  };
}

/** Where only one side can have a label, rows that have it match nothing. */
function without({ stages, filter, ...vector }: Vector, labels: readonly string[]): Vector {
  if (labels.length === 0) return { ...vector, stages, ...(filter && { filter }) };
  return {
    ...vector,
    stages: [...stages, `where ${labels.map((label) => `${label} == ""`).join(' and ')}`],
    ...(filter && { filter }),
  };
}

/** A key to join on: where rows have no label in common, all match. */
function keyed(vector: Vector, common: readonly string[]): { vector: Vector; on: string } {
  if (common.length > 0) return { vector, on: common.join(', ') };
  const { filter, ...rest } = vector;
  return { vector: { ...rest, stages: [...stagesOf(vector), 'extend one = 1'] }, on: 'one' };
}

function joined(
  op: string,
  bool: boolean,
  matching: Matching | undefined,
  many: Vector,
  one: Vector,
  fresh: () => string,
  compute: (left: string, right: string) => string,
  isTurned: boolean,
): Vector {
  const { common, onlyLeft, onlyRight } = signatureOf(matching, many, one);
  const group = matching?.group;
  const name = fresh();
  const left = keyed(without(many, onlyLeft), common);
  const right = keyed(without(one, onlyRight), common);
  const include = (group?.include ?? []).filter((label) => one.labels.includes(label));
  const labels = group === undefined ? common : [...new Set([...many.labels, ...include])].sort();
  const [mine, theirs] = ['value', `${name}.value`];
  const isComparison = /^(?:[<>]=?|==|!=)$/.test(op);
  const [x, y] = isTurned ? [theirs, mine] : [mine, theirs];
  const value = !isComparison
    ? compute(mine, theirs)
    : bool
      ? `if(${x} ${op} ${y}, 1, 0)`
      : isTurned
        ? theirs
        : undefined;
  return {
    stages: [
      ...stagesOf(left.vector),
      `join ${bracketed(right.vector)} on ${left.on} as ${name}`,
      ...(isComparison && !bool ? [`where ${x} ${op} ${y}`] : []),
      ...(include.length > 0 ? [`extend ${include.map((label) => `${label} = ${name}.${label}`).join(', ')}`] : []),
      ...(value === undefined ? [] : [`extend value = ${value}`]),
      `fields ${[...labels, 'value'].join(', ')}`,
    ],
    labels,
  };
}

/** `and` and `unless` keep rows of the left vector, with its comparison as the last step. */
function filtered(op: 'and' | 'unless', matching: Matching | undefined, left: Vector, right: Vector): Vector {
  const { common, onlyLeft, onlyRight } = signatureOf(matching, left, right);
  // A row of the left that has a label that the right cannot have matches nothing, so `unless` keeps it.
  if (op === 'unless' && onlyLeft.length > 0)
    throw new NoEqual(`unless compares ${onlyLeft.join(', ')}, which only its left side has: use on(…)`);
  const kept = without(left, onlyLeft);
  const other = without(right, onlyRight);
  const { filter } = kept;
  const stages = kept.stages;
  const keys = common.length === 0 ? 'one' : common.join(', ');
  const distinct =
    common.length === 0
      ? [...stagesOf(other), 'stats rows=count()', 'where rows > 0', 'extend one = 1']
      : [...stagesOf(other), `stats rows=count() by ${keys}`];
  return {
    stages: [
      ...stages,
      ...(common.length === 0 ? ['extend one = 1'] : []),
      `join ${op === 'unless' ? 'anti ' : ''}(${distinct.join(' | ')}) on ${keys}`,
      `fields ${[...left.labels, 'value'].join(', ')}`,
    ],
    labels: left.labels,
    ...(filter && { filter }),
  };
}

/** The rows of the left vector, and those of the right one that match none of these. */
function either(matching: Matching | undefined, left: Vector, right: Vector): Vector {
  const labels = [...new Set([...left.labels, ...right.labels])].sort();
  const more = filtered('unless', matching, right, left);
  const [one, other] = [left, more].map((vector) => [
    ...stagesOf(vector),
    ...labels.filter((label) => !vector.labels.includes(label)).map((label) => `extend ${label} = ""`),
    `fields ${[...labels, 'value'].join(', ')}`,
  ]);
  const keys = labels.length === 0 ? ', rows=count()' : ` by ${labels.join(', ')}`;
  return {
    stages: [
      ...(one ?? []),
      `union (${(other ?? []).join(' | ')})`,
      `stats value=any(value)${keys}`,
      ...(labels.length === 0 ? ['where rows > 0', 'omit rows'] : []),
    ],
    labels,
  };
}
