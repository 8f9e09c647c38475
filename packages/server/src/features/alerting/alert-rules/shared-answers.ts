import {
  format,
  type OneScan,
  oneScan,
  type ResultColumn,
  type ResultValue,
  splitRows,
  type Variant,
  variantOf,
} from '@fanion/oql';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/fail.ts';
import { type Answer, shortCharacters } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import { partWith } from './alike.ts';

export interface AlertQuestion {
  readonly scope: TelemetryScope;
  readonly query: string;
  readonly fromNs: bigint;
  readonly toNs: bigint;
  /** Most rows of the answer. */
  readonly limit: number;
  /** The query as a variant, and those of further rules that ask for the same window; undefined if it has no variant. */
  readonly variant: Variant | undefined;
  readonly together: readonly Variant[];
}

/** What a rule reads of an answer. */
export interface SharedAnswer extends Pick<Answer, 'columns' | 'rows' | 'truncated' | 'cost'> {
  /** Of answers that are not shared. */
  readonly completeness?: Answer['completeness'];
  /** Columns that the query groups by; null if it returns single rows. */
  readonly keys: readonly string[] | null;
}

/** An answer of the gateway, as far as rules read it. */
export interface AskedAnswer extends Omit<SharedAnswer, 'keys'> {
  readonly plan: Pick<Answer['plan'], 'keys'>;
}

/** Its text is long, and its number stands for it in keys. */
type NumberedScan = OneScan & { readonly number: string };

export type Ask = (oql: string, limit: number, params?: OneScan['params']) => Promise<AskedAnswer>;

/** Rows that are kept for further rules; answers of slots that are over make room. */
const maxRows = 50_000;
const maxAnswers = 500;
/** Of an answer for several rules. More are asked one by one. */
const maxRowsTogether = 20_000;
/** How long queries that failed together are asked in smaller groups. */
const apartMs = 600_000;

/** The same text for queries that differ in white space and comments only. Long ones take too long to parse here. */
export function normalText(query: string): string {
  return query.length > shortCharacters ? query : format(query);
}

const maxVariants = 2_000;
const variants = new Map<string, Variant | undefined>();

/** The query in the form in which one scan can answer several at once; undefined if it has no such form or is too long to parse here. */
export function alertVariant(query: string): Variant | undefined {
  if (query.length > shortCharacters) return undefined;
  if (variants.has(query)) return variants.get(query);
  const variant = variantOf(query);
  if (variants.size >= maxVariants) variants.clear();
  variants.set(query, variant);
  return variant;
}

/**
 * Lets rules of one place and one window share an answer: rules with equal queries, so that each is asked once, and rules whose
 * queries differ in literals only, which one scan answers together. Where that scan fails, a tenth of them is asked together,
 * and in the end each by itself. An answer that fails is not kept: the next attempt asks again.
 */
export function createSharedAnswers({ clock }: { clock: Clock }) {
  const answers = new Map<string, { readonly answer: Promise<AskedAnswer>; rows: number }>();
  const scans = new WeakMap<readonly Variant[], NumberedScan | 'none'>();
  let scanCount = 0;
  const splits = new WeakMap<AskedAnswer, ReturnType<typeof splitRows>>();
  const apart = new TtlCache<string, true>({ clock, ttlMs: apartMs, max: maxAnswers });
  let rows = 0;

  function drop(key: string): void {
    rows -= answers.get(key)?.rows ?? 0;
    answers.delete(key);
  }

  function shared(question: AlertQuestion, text: string, answerOf: () => Promise<AskedAnswer>): Promise<AskedAnswer> {
    const key = JSON.stringify([placeOf(question), text, `${question.fromNs}`, `${question.toNs}`]);
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
  }

  function scanOf(query: string, together: readonly Variant[]): NumberedScan | undefined {
    const known = scans.get(together);
    if (known !== undefined) return known === 'none' ? undefined : known;
    const scan = oneScan(query, together);
    const numbered = scan && { ...scan, number: `scan ${scanCount++}` };
    scans.set(together, numbered ?? 'none');
    return numbered;
  }

  async function alone(question: AlertQuestion, ask: Ask): Promise<SharedAnswer> {
    const { query, limit } = question;
    const answer = await shared(question, normalText(query), () => ask(query, limit));
    return { ...answer, keys: answer.plan.keys };
  }

  /** The part of an answer for several rules; undefined where this rule has to be asked by itself. */
  async function part(question: AlertQuestion, scan: NumberedScan, ask: Ask): Promise<SharedAnswer | undefined> {
    const { variant, limit } = question;
    const answer = await shared(question, scan.number, () => ask(scan.text, maxRowsTogether, scan.params));
    if (variant === undefined || answer.truncated) return undefined;
    const split = splits.get(answer) ?? splitRows(scan, answer.columns, answer.rows);
    splits.set(answer, split);
    if (split === undefined) return undefined;
    const { ofNothing } = scan;
    const own: readonly (readonly ResultValue[])[] = split.rowsOf(variant);
    const rows =
      own.length === 0 && ofNothing !== undefined
        ? (await shared(question, ofNothing, () => ask(ofNothing, limit))).rows
        : own;
    const columns: readonly ResultColumn[] = split.columns;
    const keys = answer.plan.keys?.filter((key) => !scan.added.has(key)) ?? null;
    return { columns, keys, rows: rows.slice(0, limit), truncated: rows.length > limit, cost: answer.cost };
  }

  return async function answer(question: AlertQuestion, ask: Ask): Promise<SharedAnswer> {
    const { query, variant, together } = question;
    if (variant === undefined || together.length < 2) return alone(question, ask);
    const scan = scanOf(query, together);
    const form = scan && JSON.stringify([placeOf(question), scan.number]);
    if (scan !== undefined && form !== undefined && !apart.get(form)) {
      try {
        const own = await part(question, scan, ask);
        if (own !== undefined) return own;
      } catch (error) {
        // A store that is away, or a full lane, answers none of them.
        if (error instanceof Failure && error.status >= 429) throw error;
      }
      apart.set(form, true);
    }
    return answer({ ...question, together: partWith(together, variant) }, ask);
  };
}

function placeOf({ scope: { workspace, project, environment } }: AlertQuestion) {
  return [workspace, project, environment];
}
