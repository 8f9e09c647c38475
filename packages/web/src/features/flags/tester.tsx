import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { servedText } from './describe.ts';
import type { Draft } from './draft.ts';
import { ExplainedSteps } from './explained.tsx';
import classes from './flags.module.css';
import { type Trial, type TrialFlag, tryDraft } from './trial.ts';
import type { Flag } from './types.ts';
import { type Evaluated, useEvaluation } from './use-evaluation.ts';
import type { TargetingEditing } from './use-targeting-draft.ts';
import { valueText } from './variant-values.ts';

/**
 * "Who gets what" for a typed context. The server evaluates saved targeting, with segments, prerequisites and buckets.
 * The same engine evaluates unsaved changes in the browser.
 */
export function Tester({ flag, environment, editor }: { flag: Flag; environment: string; editor: TargetingEditing }) {
  const { base, draft, dirty, issues } = editor;
  const { archived } = flag;
  // What has to be filled in before the draft can be evaluated: `Rule 1, condition 1`.
  const unfinished = useMemo(() => [...new Set(issues.map(({ where }) => where))], [issues]);
  const { project } = useScope();
  const [unit, setUnit] = useState('user-1');
  const [attributes, setAttributes] = useState('{\n  "country": "DE"\n}');
  const parsed = useMemo(() => readAttributes(attributes), [attributes]);
  const context = useMemo(
    () => (parsed.value ? { ...parsed.value, ...(unit !== '' && { targetingKey: unit }) } : null),
    [parsed.value, unit],
  );
  const version = base.flag_version;
  const evaluation = useEvaluation({ environment, flag: flag.key, version, context, enabled: !dirty && !archived });
  const trial = useMemo(
    () =>
      dirty && context && unfinished.length === 0 ? tryDraft(flag, draft, context, { environment, project }) : null,
    [dirty, unfinished, flag, draft, context, environment, project],
  );
  return (
    <Panel title="Who gets what">
      <div className={classes.flow}>
        <TextInput label="Targeting key" value={unit} onChange={(event) => setUnit(event.currentTarget.value)} />
        <Textarea
          label="Attributes (JSON)"
          minRows={3}
          maxRows={12}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--f-mono)', fontSize: 12 } }}
          value={attributes}
          error={parsed.error}
          onChange={(event) => setAttributes(event.currentTarget.value)}
        />
        <div role="status" aria-label="Result of the test">
          {context === null ? null : dirty && unfinished.length > 0 ? (
            <p className="dim">Not tested yet: {unfinishedText(unfinished)}.</p>
          ) : trial ? (
            <Tried trial={trial} flag={flag} draft={draft} />
          ) : archived ? (
            <p className="dim">Archived: programs get their own default.</p>
          ) : (
            evaluation.data && <Served evaluated={evaluation.data} />
          )}
        </div>
        {!dirty && <ErrorNotice error={evaluation.error} />}
        {dirty && unfinished.length === 0 && (
          <p className="dim">
            Tested with unsaved changes, and without segments, prerequisites and buckets, which only the server knows.
          </p>
        )}
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
    return { value: null, error: 'Attributes must be a JSON object' };
  } catch (cause) {
    return { value: null, error: cause instanceof Error ? cause.message : 'Not JSON' };
  }
}

/** `rule 1, condition 1 is unfinished`. */
function unfinishedText(places: readonly string[]): string {
  const [first = ''] = places;
  const more = places.length - 1;
  const named = `${first.charAt(0).toLowerCase()}${first.slice(1)}`;
  return more === 0 ? `${named} is unfinished` : `${named} and ${more} more are unfinished`;
}

const byDefault = 'nothing is served, so programs use their own default';

/** The server's result. */
function Served({ evaluated }: { evaluated: Evaluated }) {
  const { error, variant, value, reason, explanation } = evaluated;
  return (
    <>
      <div className={classes.outcome}>
        {error ? <span className={classes.wrong}>{error.code}</span> : servedText(variant)}
      </div>
      <div className="dim">
        {error ? error.message : variant === null ? `${reason}: ${byDefault}` : `${reason}, value ${valueText(value)}`}
      </div>
      {explanation && explanation.decided_by !== 'off' && <ExplainedSteps explained={explanation} buckets />}
    </>
  );
}

/** The result for the draft, as far as it is known without the server. */
function Tried({ trial, flag, draft }: { trial: Trial; flag: TrialFlag; draft: Draft }) {
  const { explanation, shares } = trial;
  const { error, variant, reason } = explanation.evaluation;
  return (
    <>
      <div className={classes.outcome}>
        {error ? (
          <span className={classes.wrong}>{error.code}</span>
        ) : shares ? (
          shares.map((share) => `${share.percent}% ${share.variant}`).join(', ')
        ) : (
          servedText(variant)
        )}
      </div>
      <div className="dim">
        {error
          ? error.message
          : shares
            ? `${reason}: the bucket decides which`
            : variant === null
              ? `${reason}: ${byDefault}`
              : `${reason}, value ${valueText(flag.variants.find(({ key }) => key === variant)?.value)}`}
      </div>
      {draft.enabled && <ExplainedSteps explained={explanation} buckets={false} />}
    </>
  );
}
