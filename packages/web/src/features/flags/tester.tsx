import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import type { Draft } from './draft.ts';
import classes from './flags.module.css';
import { type Trial, type TrialFlag, tryDraft } from './trial.ts';
import { valueText } from './variant-values.ts';

const RESULTS = { matched: '✓', not_matched: '✗', not_reached: '·' } as const;
const RESULT_WORDS = { matched: 'matched', not_matched: 'did not match', not_reached: 'not reached' } as const;

/** "Who gets what": evaluates what is on the page, saved or not, for a context that is typed in. */
export function Tester({
  flag,
  environment,
  draft,
  dirty,
}: {
  flag: TrialFlag;
  environment: string;
  draft: Draft;
  dirty: boolean;
}) {
  const { project } = useScope();
  const [unit, setUnit] = useState('user-1');
  const [attributes, setAttributes] = useState('{\n  "country": "DE"\n}');
  const parsed = useMemo(() => readAttributes(attributes), [attributes]);
  const trial = useMemo(
    () =>
      parsed.value
        ? tryDraft(
            flag,
            draft,
            { ...parsed.value, ...(unit !== '' && { targetingKey: unit }) },
            { environment, project },
          )
        : null,
    [flag, draft, parsed.value, unit, environment, project],
  );
  return (
    <Panel title="Who gets what">
      <div className={classes.flow}>
        <TextInput label="Targeting key" value={unit} onChange={(event) => setUnit(event.currentTarget.value)} />
        <Textarea
          label="Attributes (JSON)"
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--f-mono)', fontSize: 12 } }}
          value={attributes}
          error={parsed.error}
          onChange={(event) => setAttributes(event.currentTarget.value)}
        />
        <div role="status" aria-label="Result of the test">
          {trial && <Outcome trial={trial} flag={flag} draft={draft} />}
        </div>
        {dirty && <p className="dim">Tested with the changes that are not saved yet.</p>}
      </div>
    </Panel>
  );
}

function readAttributes(text: string): { value: Record<string, unknown> | null; error?: string } {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
    return { value: null, error: 'Attributes are a JSON object' };
  } catch (cause) {
    return { value: null, error: cause instanceof Error ? cause.message : 'Not JSON' };
  }
}

function Outcome({ trial, flag, draft }: { trial: Trial; flag: TrialFlag; draft: Draft }) {
  const { explanation, shares } = trial;
  const { evaluation } = explanation;
  return (
    <>
      <div className={classes.outcome}>
        {evaluation.error ? (
          <span className={classes.wrong}>{evaluation.error.code}</span>
        ) : shares ? (
          shares.map(({ variant, percent }) => `${percent}% ${variant}`).join(', ')
        ) : (
          evaluation.variant
        )}
      </div>
      <div className="dim">
        {evaluation.error
          ? evaluation.error.message
          : shares
            ? `${evaluation.reason}: its bucket decides which`
            : `${evaluation.reason}, value ${valueText(flag.variants.find((variant) => variant.key === evaluation.variant)?.value)}`}
      </div>
      {draft.enabled && (
        <ul className={classes.steps} aria-label="Steps of the evaluation">
          {explanation.targets.map((target, index) => (
            <Step key={`t${index.toString()}`} result={target.result} text={`Target for ${target.variant}`} />
          ))}
          {explanation.rules.map((rule, index) => (
            <Step
              key={rule.id}
              result={rule.result}
              text={`Rule ${index + 1}${rule.description ? `: ${rule.description}` : ''}`}
              why={rule.result === 'not_matched' ? rule.clauses.find((clause) => !clause.matched)?.why : undefined}
            />
          ))}
          <Step result={explanation.fallthrough.result} text="Everybody else" />
        </ul>
      )}
    </>
  );
}

function Step({ result, text, why }: { result: keyof typeof RESULTS; text: string; why?: string | undefined }) {
  return (
    <li data-result={result}>
      <span aria-hidden>{RESULTS[result]}</span>
      <span>
        {text} <span className="visually-hidden">{RESULT_WORDS[result]}</span>
        {why && <span className="dim"> — {why}</span>}
      </span>
    </li>
  );
}
