import type { EvaluationContext } from '@openfeature/web-sdk';
import type { Answers } from './answers.ts';

/** Contexts whose flags are kept: a page rarely switches between more. */
const maxContexts = 10;

/** The flags of the latest contexts, in memory. */
export function createCache() {
  const held = new Map<string, Answers>();
  return {
    get: (context: EvaluationContext): Answers | undefined => held.get(JSON.stringify(context)),
    keep(context: EvaluationContext, answers: Answers): void {
      const key = JSON.stringify(context);
      held.delete(key);
      held.set(key, answers);
      const [oldest] = held.keys();
      if (held.size > maxContexts && oldest !== undefined) held.delete(oldest);
    },
  };
}
