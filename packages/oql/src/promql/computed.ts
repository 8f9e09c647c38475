import type { Context } from './context.ts';
import { stagesOf, type Vector } from './vector.ts';

export function computed(context: Context, of: Vector, value: string): Vector {
  const { stages, labels } = unfiltered(context, of);
  return { stages: [...stages, `extend value = ${value}`], labels };
}

/** A comparison that something follows: rows that do not fulfil it are gone. */
export function unfiltered({ found }: Context, vector: Vector): Vector {
  if (vector.filter !== undefined) found.hasConditionsInside = true;
  return { stages: stagesOf(vector), labels: vector.labels };
}
