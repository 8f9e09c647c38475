import type { CompiledFlag, CompiledRuleset } from './compiled.ts';
import { type EachOutcome, eachOutcome } from './each.ts';
import type { EvaluationContext } from './evaluation.ts';
import type { Outcome } from './outcome.ts';

/** Flags whose answers stand side by side in bulk answers, and are remembered together. */
const BLOCK_FLAGS = 16;
/** Answers remembered of one block: what four independent halves in it can give, four times over. */
const MAX_REMEMBERED = 64;
/** Of a ruleset; what would go beyond it begins anew. */
const MAX_BYTES = 8 * 1024 * 1024;

interface Remembered {
  readonly outcomes: readonly Outcome[];
  readonly bytes: Uint8Array;
}

/**
 * The OFREP texts of bulk answers, as bytes. Most contexts get the same outcomes of most flags, so the text of sixteen
 * neighbours is remembered by what they were decided to be, and an answer for 200 flags is put together of 13 pieces
 * instead of being written out and encoded each time. Flags that divide units differ between contexts, which is why
 * whole answers are not remembered: with ten percentages there are a thousand of them.
 */
export class BulkTexts {
  readonly #blocks: Map<number, Remembered>[] = [];
  #bytes = 0;

  /** The bytes of one block whose flags had these outcomes. */
  of(block: number, outcomes: readonly Outcome[]): Uint8Array {
    let hash = 0;
    let failed = false;
    for (const outcome of outcomes) {
      hash = Math.imul(hash ^ outcome.id, 0x9e3779b1);
      hash ^= hash >>> 15;
      failed ||= outcome.evaluation.error !== undefined;
    }
    let known = this.#blocks[block];
    if (known === undefined) {
      known = new Map();
      this.#blocks[block] = known;
    }
    const found = known.get(hash);
    if (found !== undefined && same(found.outcomes, outcomes)) return found.bytes;
    const bytes = encoder.encode(outcomes.map((outcome) => outcome.ofrep()).join(','));
    // The outcome of a failure is made anew each time: it would never be found again.
    if (!failed) this.#remember(known, hash, { outcomes, bytes });
    return bytes;
  }

  #remember(known: Map<number, Remembered>, hash: number, entry: Remembered): void {
    if (this.#bytes + entry.bytes.length > MAX_BYTES) {
      for (const block of this.#blocks) block?.clear();
      this.#bytes = 0;
    }
    this.#bytes += entry.bytes.length - (known.get(hash)?.bytes.length ?? 0);
    known.set(hash, entry);
    if (known.size <= MAX_REMEMBERED) return;
    const [oldest] = known;
    if (oldest === undefined) return;
    known.delete(oldest[0]);
    this.#bytes -= oldest[1].bytes.length;
  }
}

const encoder = new TextEncoder();
const texts = new WeakMap<CompiledRuleset, BulkTexts>();

function same(a: readonly Outcome[], b: readonly Outcome[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}

/**
 * The elements of the `flags` of an OFREP bulk answer, as UTF-8 in pieces that belong together with commas between them: the
 * same text as `ofrepFlags` without its brackets. The pieces are shared by many answers: read them, never write to them.
 */
export function ofrepBlocks(compiled: CompiledRuleset, context: EvaluationContext): Uint8Array[] {
  let known = texts.get(compiled);
  if (known === undefined) {
    known = new BulkTexts();
    texts.set(compiled, known);
  }
  const bulk = known;
  const pieces: Uint8Array[] = [];
  let outcomes: Outcome[] = [];
  const add: EachOutcome = (_: CompiledFlag, outcome: Outcome) => {
    outcomes.push(outcome);
    if (outcomes.length < BLOCK_FLAGS) return;
    pieces.push(bulk.of(pieces.length, outcomes));
    outcomes = [];
  };
  eachOutcome(compiled, context, add);
  if (outcomes.length > 0) pieces.push(bulk.of(pieces.length, outcomes));
  return pieces;
}
