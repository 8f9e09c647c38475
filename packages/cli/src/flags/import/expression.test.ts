import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoEqual } from '../../files/report.ts';
import { evaluator } from '../testing/serve.ts';
import { alternatives, always, clause, type Expression, never } from './expression.ts';

/** Evaluates an expression by its own tree. */
function holds(expression: Expression, context: Record<string, unknown>): boolean {
  switch (expression.kind) {
    case 'all':
      return expression.of.every((part) => holds(part, context));
    case 'any':
      return expression.of.some((part) => holds(part, context));
    case 'not':
      return !holds(expression.of, context);
    case 'clause': {
      const { attribute = '', op, values } = expression.clause;
      const actual = context[attribute];
      if (op === 'exists') return actual !== undefined;
      if (actual === undefined) return op === 'not_in';
      if (op === 'gt') return typeof actual === 'number' && actual > Number(values[0]);
      return values.some((value) => value === actual) === (op === 'in');
    }
  }
}

/** Evaluates the converted rules with the engine. */
function matches(expression: Expression, context: Record<string, unknown>): boolean {
  const rules = alternatives(expression).map((clauses) => ({ clauses, variant: 'yes' }));
  const variants = [
    { key: 'yes', value: true },
    { key: 'no', value: false },
  ];
  const environment = { enabled: true, off_variant: 'no', fallthrough: { variant: 'no' }, targets: [], rules };
  const flag = {
    key: 'f',
    description: '',
    kind: 'boolean' as const,
    variants,
    tags: [],
    temporary: true,
    prerequisites: [],
  };
  const ask = evaluator({ flags: [{ ...flag, environments: { here: environment } }], segments: [] }, 'here');
  return ask('f', context).value === true;
}

const leaf = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom('in' as const, 'not_in' as const, 'gt' as const, 'exists' as const),
    fc.nat(2),
  )
  .map(([attribute, op, value]) => clause({ attribute, op, values: op === 'exists' ? [] : [value] }));
const { tree } = fc.letrec<{ tree: Expression }>((tie) => {
  const of = fc.array(tie('tree'), { maxLength: 2 });
  return {
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      of.map((of): Expression => ({ kind: 'all', of })),
      of.map((of): Expression => ({ kind: 'any', of })),
      tie('tree').map((of): Expression => ({ kind: 'not', of })),
    ),
  };
});
const context = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(2), { maxKeys: 3 });

describe('expressions', () => {
  it('mean the same as rules', () => {
    fc.assert(
      fc.property(tree, context, (expression, given) => {
        let asRules: boolean;
        try {
          asRules = matches(expression, given);
        } catch (error) {
          // Too complex: reported instead of converted wrongly.
          expect(error).toBeInstanceOf(NoEqual);
          return;
        }
        expect(asRules).toBe(holds(expression, given));
      }),
    );
  });

  it('are always or never true without parts', () => {
    expect(alternatives(always)).toEqual([[]]);
    expect(alternatives(never)).toEqual([]);
    expect(alternatives({ kind: 'not', of: always })).toEqual([]);
  });

  it('are rejected when they need too many rules', () => {
    const or = (name: string): Expression => ({
      kind: 'any',
      of: Array.from({ length: 4 }, (_, i) => clause({ attribute: name, op: 'eq', values: [i] })),
    });
    expect(alternatives({ kind: 'all', of: [or('a'), or('b')] })).toHaveLength(16);
    expect(() => alternatives({ kind: 'all', of: [or('a'), or('b'), or('c')] })).toThrow(NoEqual);
  });
});
