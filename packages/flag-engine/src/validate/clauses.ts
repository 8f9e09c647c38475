import { wrongPointer } from '../attribute.ts';
import { wrongForm } from '../form.ts';
import { wrongKind } from '../kind.ts';
import { operatorOf } from '../operators/index.ts';
import type { Operator } from '../operators/operator.ts';
import type { ClauseDraft, Keys } from './draft.ts';
import type { Issues } from './issue.ts';
import { MAX_ATTRIBUTE_LENGTH, MAX_CLAUSES, MAX_TEXT_LENGTH } from './limits.ts';

type Path = readonly (string | number)[];

export function checkClauses(issues: Issues, path: Path, clauses: readonly ClauseDraft[], segments: Keys): void {
  if (issues.tooMany(path, clauses.length, MAX_CLAUSES)) return;
  for (const [i, clause] of clauses.entries()) checkClause(issues, [...path, i], clause, segments);
}

function checkClause(issues: Issues, path: Path, clause: ClauseDraft, segments: Keys): void {
  const { op, values } = clause;
  const operator = operatorOf(op);
  if (op === 'in_segment') checkSegmentClause(issues, path, clause, segments);
  else if (op === 'exists' || operator !== undefined) checkAttribute(issues, [...path, 'attribute'], clause.attribute);
  else issues.add([...path, 'op'], `unknown operator "${op}"`);
  if (operator !== undefined) checkValues(issues, [...path, 'values'], clause, operator);
  checkKind(issues, path, clause);
  const wrong = wrongForm(clause);
  if (wrong !== undefined) issues.add([...path, wrong.field], wrong.message);
  if (op === 'exists' && values.length > 0) {
    issues.add([...path, 'values'], 'must be empty: "exists" compares with nothing');
  }
}

function checkValues(issues: Issues, path: Path, clause: ClauseDraft, operator: Operator): void {
  const { values } = clause;
  if (values.length === 0) issues.add(path, 'must have at least one value');
  if (issues.tooMany(path, values.length, operator.maxValues)) return;
  for (const [i, value] of values.entries()) {
    const wrong = wrongValue(value, clause, operator);
    if (wrong !== undefined) issues.add([...path, i], wrong);
  }
}

function wrongValue(value: unknown, { as, ignore_case }: ClauseDraft, operator: Operator): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return 'must be a string, number or boolean';
  }
  const tooLong = typeof value === 'string' && value.length > MAX_TEXT_LENGTH;
  if (tooLong) return `has more than ${MAX_TEXT_LENGTH} characters`;
  // The converted attribute could never equal it.
  if (as === 'text' && typeof value !== 'string') return 'must be a text, as the attribute is read as text';
  if ((as === 'number' || as === 'size') && typeof value !== 'number') {
    return `must be a number, as the attribute is read as ${as}`;
  }
  return operator.check(value, { ignoreCase: ignore_case === true, version: as === 'version' });
}

/** The context kind from which something is read. */
export function checkKind(issues: Issues, path: Path, { context_kind }: { context_kind?: string | undefined }): void {
  const wrong = context_kind === undefined ? undefined : wrongKind(context_kind);
  if (wrong !== undefined) issues.add([...path, 'context_kind'], wrong);
}

function checkSegmentClause(issues: Issues, path: Path, clause: ClauseDraft, segments: Keys): void {
  if (clause.attribute !== undefined) {
    issues.add([...path, 'attribute'], 'must be left out: "in_segment" looks at the whole context');
  }
  const values = [...path, 'values'];
  if (clause.values.length === 0) issues.add(values, 'must have at least one segment');
  if (issues.tooMany(values, clause.values.length, MAX_CLAUSES)) return;
  for (const [i, key] of clause.values.entries()) {
    if (typeof key !== 'string') issues.add([...values, i], 'must be the key of a segment');
    else if (!segments.has(key)) issues.add([...values, i], `unknown segment "${key}"`);
  }
}

/** An attribute's name or JSON pointer. */
export function checkAttribute(issues: Issues, path: Path, attribute: string | undefined): void {
  const wrong = wrongAttribute(attribute);
  if (wrong !== undefined) issues.add(path, wrong);
}

function wrongAttribute(attribute: string | undefined): string | undefined {
  if (attribute === undefined || attribute === '') return 'an attribute is needed';
  if (attribute.length > MAX_ATTRIBUTE_LENGTH) return `has more than ${MAX_ATTRIBUTE_LENGTH} characters`;
  return attribute.startsWith('/') ? wrongPointer(attribute) : undefined;
}
