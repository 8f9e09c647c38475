import type { Checked } from '../check/check.ts';
import type { AttributeScope } from '../check/relation.ts';
import { METRIC_FIELDS } from '../schema/metrics.ts';
import type { Expression } from '../syntax/ast.ts';
import type { RecentCondition, RecentLabel } from './question.ts';

const PLACES: Readonly<Record<AttributeScope, readonly ('attributes' | 'resource')[] | undefined>> = {
  either: ['attributes', 'resource'],
  signal: ['attributes'],
  resource: ['resource'],
  scope: undefined,
};

/** The label of a series that a path means; undefined if it is another field, or may be inside of a map. */
export function labelOf(path: Expression, { attributes }: Checked): RecentLabel | undefined {
  if (path.kind !== 'path' || path.index !== undefined) return undefined;
  const name = path.segments.join('.');
  if (name === 'service.name') return { kind: 'service' };
  if (name === 'environment') return { kind: 'environment' };
  if (Object.hasOwn(METRIC_FIELDS, name)) return undefined;
  const use = attributes.get(name);
  const places = use && PLACES[use.scope];
  const keys = use?.keys.filter((key) => typeof key === 'string');
  if (!places || !keys || keys.length < use.keys.length) return undefined;
  return { kind: 'attribute', places, keys };
}

/** A condition on labels alone: `==` and `!=` with a text, `in` with texts, `exists`, `true` and `false`, and what combines these. */
export function conditionOf(of: Expression, checked: Checked): RecentCondition | undefined {
  switch (of.kind) {
    case 'and':
    case 'or': {
      const parts = of.operands.map((operand) => conditionOf(operand, checked));
      const found = parts.filter((part) => part !== undefined);
      return found.length < parts.length ? undefined : { kind: of.kind, of: found };
    }
    // What is left of a condition with a variable of any value.
    case 'bool':
      return { kind: of.value ? 'and' : 'or', of: [] };
    case 'not':
      return negated(conditionOf(of.operand, checked));
    case 'exists': {
      const label = labelOf(of.operand, checked);
      return label && { kind: 'exists', label };
    }
    case 'compare': {
      if (of.operator !== '==' && of.operator !== '!=') return undefined;
      const [path, other] = of.left.kind === 'string' ? [of.right, of.left] : [of.left, of.right];
      const equal = among(path, [other], checked);
      return of.operator === '==' ? equal : negated(equal);
    }
    case 'in': {
      if (of.set.kind !== 'list' || of.set.items.length === 0) return undefined;
      const found = among(of.value, of.set.items, checked);
      return of.negated ? negated(found) : found;
    }
    default:
      return undefined;
  }
}

/** Whether any label decides the condition, as far as it is written. */
export function readsLabels(condition: RecentCondition): boolean {
  if (condition.kind === 'not') return readsLabels(condition.of);
  return condition.kind === 'and' || condition.kind === 'or' ? condition.of.some(readsLabels) : true;
}

function negated(of: RecentCondition | undefined): RecentCondition | undefined {
  return of && { kind: 'not', of };
}

function among(path: Expression, items: readonly Expression[], checked: Checked): RecentCondition | undefined {
  const label = labelOf(path, checked);
  const texts = items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
  return label && texts.length === items.length ? { kind: 'in', label, texts } : undefined;
}
