import type { ReactNode } from 'react';
import { countOf } from '../../ui/format/index.ts';
import classes from './flags.module.css';
import { operatorInfo } from './operators.ts';
import { percentText } from './weights.ts';

type StepResult = 'matched' | 'not_matched' | 'not_reached';

interface ExplainedRollout {
  readonly bucket_by: string;
  readonly unit: string | null;
  readonly bucket: number | null;
  readonly weights: readonly { readonly variant: string; readonly weight: number; readonly chosen: boolean }[];
}

interface ExplainedShare {
  readonly bucket_by: string;
  readonly unit: string | null;
  readonly bucket: number | null;
  readonly ranges: readonly (readonly [number, number])[];
  readonly matched: boolean;
}

interface ExplainedClause {
  readonly attribute?: string | undefined;
  readonly op: string;
  readonly negate: boolean;
  /** Number of values in the clause. */
  readonly size: number;
  /** JSON text; absent where the context has none. */
  readonly actual?: string | undefined;
  readonly matched: boolean;
  readonly why: string;
  readonly segments?:
    | readonly { readonly key: string; readonly matched: boolean; readonly because: string }[]
    | undefined;
}

/** How an evaluation reached its result, in the form that both the engine and the server API report. */
export interface Explained {
  readonly decided_by: 'off' | 'prerequisite' | 'target' | 'rule' | 'fallthrough' | 'error';
  readonly prerequisites: readonly { readonly flag: string; readonly result: StepResult; readonly why: string }[];
  readonly targets: readonly { readonly variant: string; readonly attribute: string; readonly result: StepResult }[];
  readonly rules: readonly {
    readonly id: string;
    readonly description?: string | undefined;
    readonly result: StepResult;
    readonly clauses: readonly ExplainedClause[];
    readonly shares?: readonly ExplainedShare[] | undefined;
    readonly rollout?: ExplainedRollout | undefined;
  }[];
  readonly fallthrough: { readonly result: StepResult; readonly rollout?: ExplainedRollout | undefined };
}

const RESULTS = { matched: '✓', not_matched: '✗', not_reached: '·' } as const;
const RESULT_WORDS = { matched: 'matched', not_matched: 'did not match', not_reached: 'not reached' } as const;
const BECAUSE: Readonly<Record<string, string>> = {
  included: 'its key is included',
  excluded: 'its key is excluded',
  rule: 'one of its rules matches',
  no_match: 'neither a key nor a rule matches',
  error: 'it could not be evaluated',
};

/**
 * The steps of an evaluation in order. `buckets` says whether the buckets are real: a draft is evaluated without the
 * server's salt.
 */
export function ExplainedSteps({ explained, buckets }: { explained: Explained; buckets: boolean }) {
  const { prerequisites, targets, rules, fallthrough } = explained;
  return (
    <ul className={classes.steps} aria-label="Steps of the evaluation">
      {prerequisites.map(({ flag, result, why }) => (
        <Step key={`p ${flag}`} result={result} text={`Prerequisite ${flag}`} why={why} />
      ))}
      {targets.map(({ variant, attribute, result }) => (
        <Step key={`t ${variant} ${attribute}`} result={result} text={`Target for ${variant}`} />
      ))}
      {rules.map((rule, index) => (
        <Step
          key={rule.id}
          result={rule.result}
          text={`Rule ${index + 1}${rule.description ? `: ${rule.description}` : ''}`}
        >
          {rule.result !== 'not_reached' && <Clauses clauses={rule.clauses} isDraft={!buckets} />}
          {rule.shares?.map((share, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: shares have no name, and their order is fixed
            <ShareLine key={place} share={share} />
          ))}
          {rule.rollout && buckets && rule.result === 'matched' && <Rollout rollout={rule.rollout} />}
        </Step>
      ))}
      <Step result={fallthrough.result} text="Everybody else">
        {fallthrough.rollout && buckets && fallthrough.result === 'matched' && (
          <Rollout rollout={fallthrough.rollout} />
        )}
      </Step>
    </ul>
  );
}

function Step({
  result,
  text,
  why,
  children,
}: {
  result: StepResult;
  text: string;
  why?: string;
  children?: ReactNode;
}) {
  return (
    <li data-result={result}>
      <span aria-hidden>{RESULTS[result]}</span>
      <div>
        {text}
        <span className="visually-hidden"> {RESULT_WORDS[result]}</span>
        {why && <span className="dim">: {why}</span>}
        {children}
      </div>
    </li>
  );
}

function Clauses({ clauses, isDraft }: { clauses: readonly ExplainedClause[]; isDraft: boolean }) {
  if (clauses.length === 0) return <div className="dim">without conditions it matches everybody</div>;
  return (
    <ul className={classes.clauses}>
      {clauses.map((clause, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two clauses can read the same, and their order is fixed
        <li key={index}>
          <span aria-hidden>{clause.matched ? '✓' : '✗'}</span>
          <div>
            {clauseText(clause)}
            <span className="visually-hidden">{clause.matched ? ', holds' : ', does not hold'}</span>
            {/* A draft is evaluated without segments, so the engine reports that they do not exist. */}
            {isDraft && clause.segments !== undefined ? (
              <div className="dim">segments are not tested with unsaved changes</div>
            ) : (
              <div className="dim">{clause.why}</div>
            )}
            {(isDraft ? [] : clause.segments)?.map(({ key, matched, because }) => (
              <div key={key} className="dim">
                {matched ? 'in' : 'not in'} {key}: {BECAUSE[because] ?? because}
              </div>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** `country ("FR") is one of 2 values`. */
function clauseText({ attribute, op, negate, size, actual }: ExplainedClause): string {
  const { label, negated, values } = operatorInfo(op);
  const subject = attribute === undefined ? 'the unit' : `${attribute} (${actual ?? 'missing'})`;
  const listed = values === 'none' || values === 'segment' ? '' : ` ${countOf(size, 'value')}`;
  return `${subject} ${negate ? negated : label}${listed}`;
}

function ShareLine({ share }: { share: ExplainedShare }) {
  const { bucket_by, unit, bucket, ranges, matched } = share;
  const percent = percentText(ranges.reduce((sum, [from, to]) => sum + to - from, 0));
  return (
    <div className="dim">
      {matched ? '✓' : '✗'} {percent}% of units by {bucket_by}:{' '}
      {unit === null || bucket === null
        ? 'the context has no such attribute'
        : `${unit} is at ${percentText(Math.floor(bucket * 100_000))}%`}
    </div>
  );
}

function Rollout({ rollout }: { rollout: ExplainedRollout }) {
  const { bucket_by, unit, bucket, weights } = rollout;
  const shares = weights.filter(({ weight }) => weight > 0);
  const chosen = weights.find((weight) => weight.chosen)?.variant;
  return (
    <div className="dim">
      {shares.map(({ variant, weight }) => `${percentText(weight)}% ${variant}`).join(', ')} by {bucket_by}:{' '}
      {unit === null || bucket === null
        ? `the context has no such attribute, so ${chosen === undefined ? 'it is skipped' : 'the first share is served'}`
        : `${unit} is at ${percentText(Math.floor(bucket * 100_000))}%, which is served ${chosen ?? 'nothing'}`}
    </div>
  );
}
