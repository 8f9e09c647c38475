import type { StageKind } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';

/** A stage that is part of the language and of its grammar, and that cannot be run. */
export function unavailable<K extends StageKind>(kind: K): StageDefinition<K> {
  return {
    kind,
    syntax: kind,
    doc: 'Cannot be run yet.',
    examples: [],
    check(stage, input, ctx) {
      ctx.error('NOT_AVAILABLE', stage, `\`${kind}\` cannot be run yet.`);
      return { ...input, unknown: true };
    },
  };
}
