import { Notice } from '../../ui/states.tsx';
import { LanguageField } from '../explore/language-field.tsx';
import { filtersByValue, inLanguage, type RuleDraft } from './rule-draft.ts';

/** The query of a rule in its language. */
export function RuleQuery({
  draft,
  error,
  isWritten,
  set,
}: {
  draft: RuleDraft;
  error: string | undefined;
  /** False: a symptom was chosen, whose query is shown. */
  isWritten: boolean;
  set: (change: Partial<RuleDraft>) => void;
}) {
  const { query, language, kind } = draft;
  const isOql = language === 'oql';
  return (
    <>
      <LanguageField
        examples={{
          oql: 'spans | stats value=ratio(status == error) by service.name',
          promql: 'sum by (job) (rate(requests_total{code=~"5.."}[5m])) > 1',
        }}
        query={query}
        language={language}
        error={error}
        onChange={(next) => set({ query: next })}
        onLanguage={isWritten ? (next) => set(inLanguage(draft, next)) : undefined}
      />
      {isOql && kind !== 'absence' && filtersByValue(query) && (
        <Notice kind="warning">
          The query removes rows by their value, so an instance below the threshold has no value to show. Write the
          threshold into the condition and remove the <code>where</code> after the aggregation.
        </Notice>
      )}
      {isWritten && (
        <span className="dim">
          {isOql ? (
            <>
              Each row is an instance: the column <code>value</code> is its value, or else the only number; the other
              columns are its labels.
            </>
          ) : (
            'Each series that the expression returns is an instance, with its labels.'
          )}
        </span>
      )}
    </>
  );
}
