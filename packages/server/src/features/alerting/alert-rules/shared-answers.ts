import { format } from '@fanion/oql';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';

export interface AlertQuestion {
  readonly scope: TelemetryScope;
  readonly query: string;
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** Rows that are kept for further rules; answers of slots that are over make room. */
const maxRows = 50_000;
const maxAnswers = 500;
const maxTexts = 5_000;

const normal = new Map<string, string>();

/** The same text for queries that differ in white space and comments only. */
export function normalText(query: string): string {
  const known = normal.get(query);
  if (known !== undefined) return known;
  const text = format(query);
  if (normal.size >= maxTexts) normal.clear();
  normal.set(query, text);
  return text;
}

/**
 * Lets rules with equal queries of one place and one window share an answer, so that each is asked once. An answer that
 * fails is not kept: the next attempt asks again.
 */
export function createSharedAnswers<Answer extends { readonly rows: readonly unknown[] }>() {
  const answers = new Map<string, { readonly answer: Promise<Answer>; rows: number }>();
  let rows = 0;

  function drop(key: string): void {
    rows -= answers.get(key)?.rows ?? 0;
    answers.delete(key);
  }

  return function ask({ scope, query, fromNs, toNs }: AlertQuestion, answerOf: () => Promise<Answer>): Promise<Answer> {
    const { workspace, project, environment } = scope;
    const key = JSON.stringify([workspace, project, environment, normalText(query), `${fromNs}`, `${toNs}`]);
    const known = answers.get(key);
    if (known !== undefined) return known.answer;
    const kept = { answer: answerOf(), rows: 0 };
    answers.set(key, kept);
    kept.answer.then(
      (answer) => {
        if (answers.get(key) !== kept) return;
        kept.rows = answer.rows.length;
        rows += kept.rows;
        for (const oldest of answers.keys()) {
          if ((rows <= maxRows && answers.size <= maxAnswers) || oldest === key) break;
          drop(oldest);
        }
      },
      () => answers.get(key) === kept && answers.delete(key),
    );
    return kept.answer;
  };
}
