import { createHash } from 'node:crypto';
import { afterAll, afterEach } from 'vitest';
import type { Answer, mismatchOf } from '../../packages/server/src/testing/check-answer.ts';
import { watchAnswers } from './watch-answers.ts';

/** Checks answers against the API document; a test with a wrong one fails, whoever asked. */
interface Check {
  /** The mismatches since the last call, when all answers until now are checked. */
  mismatches(): Promise<readonly string[]>;
}

/** Most answers are seen twice, where they are sent and where they are read: this many are not checked again. */
const REMEMBERED = 200;

function startCheck(): Check {
  // Loaded at the first answer: most tests have none.
  let loaded: Promise<void> | undefined;
  let mismatch: typeof mismatchOf | undefined;
  const waiting: Answer[] = [];
  const checked = new Set<string>();
  const found = new Set<string>();

  async function load(): Promise<void> {
    ({ mismatchOf: mismatch } = await import('../../packages/server/src/testing/check-answer.ts'));
    for (const answer of waiting.splice(0)) check(answer, mismatch);
  }

  function check(answer: Answer, mismatchOf: NonNullable<typeof mismatch>): void {
    const id = createHash('sha1').update(JSON.stringify(answer)).digest('base64');
    if (checked.has(id)) return;
    const [oldest] = checked;
    if (checked.size >= REMEMBERED && oldest !== undefined) checked.delete(oldest);
    checked.add(id);
    const text = mismatchOf(answer);
    if (text !== undefined) found.add(text);
  }

  watchAnswers((answer) => {
    if (mismatch !== undefined) return check(answer, mismatch);
    waiting.push(answer);
    loaded ??= load();
  });
  return {
    async mismatches() {
      await loaded;
      const texts = [...found];
      found.clear();
      return texts;
    },
  };
}

/** One per worker, whose modules and servers its test files share. */
const key = Symbol.for('fanion.answer-check');
const worker = globalThis as { [key]?: Check };
worker[key] ??= startCheck();
const check = worker[key];

async function failForMismatches(): Promise<void> {
  const mismatches = await check.mismatches();
  if (mismatches.length > 0) throw new Error(`answers contradict the API document:\n${mismatches.join('\n')}`);
}

afterEach(failForMismatches);
afterAll(failForMismatches);
