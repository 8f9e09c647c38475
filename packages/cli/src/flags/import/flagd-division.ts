import { isFields, listOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';

/** Each doubles the rules that a division becomes. */
const MAX_CONDITIONS = 6;

/**
 * A division with an `if` in one of its variants or weights as an `if` of divisions, which divides every context in the same way. All
 * other logic as it is.
 *
 * @throws NoEqual
 */
export function withoutInnerConditions(logic: unknown): unknown {
  if (!isFields(logic) || !Array.isArray(logic.fractional)) return logic;
  const parts: readonly unknown[] = logic.fractional;
  const places = parts.flatMap((part, i) =>
    Array.isArray(part) ? part.flatMap((item, j) => (isCondition(item) ? [{ i, j, of: listOf(item.if) }] : [])) : [],
  );
  const [first] = places;
  if (first === undefined) return logic;
  if (places.length > MAX_CONDITIONS)
    throw new NoEqual(`its division has ${places.length} conditions; at most ${MAX_CONDITIONS} are imported`);
  const dividedWith = (item: unknown) => ({
    fractional: parts.map((part, i) => (i === first.i ? listOf(part).with(first.j, item) : part)),
  });
  const branches = first.of.map((item, n) => (n % 2 === 1 || n + 1 === first.of.length ? dividedWith(item) : item));
  // Without an else part it gives null.
  return { if: first.of.length % 2 === 0 ? [...branches, dividedWith(null)] : branches };
}

function isCondition(item: unknown): item is { readonly if: unknown } {
  return isFields(item) && item.if !== undefined;
}
