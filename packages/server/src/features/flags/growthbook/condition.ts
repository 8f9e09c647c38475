/** A MongoDB query, as GrowthBook's evaluators read it. */
export type Condition = Readonly<Record<string, unknown>>;

/** All of them; undefined: no condition. */
export function allOf(conditions: readonly Condition[]): Condition | undefined {
  return conditions.length > 1 ? { $and: conditions } : conditions[0];
}

export const not = (condition: Condition): Condition => ({ $not: condition });
