import type { QueryLanguage } from '@fanion/contract';
import { PlainQuery } from '../../telemetry/editor/lazy.tsx';
import { QueryField, QueryFrame } from '../../telemetry/editor/query-field.tsx';
import { LanguagePicker } from './language-picker.tsx';

/** A query as a field of a form, with the choice of its language. */
export function LanguageField({
  examples,
  query,
  language,
  error,
  onChange,
  onLanguage,
}: {
  examples: Readonly<Record<QueryLanguage, string>>;
  query: string;
  language: QueryLanguage;
  error: string | undefined;
  onChange: (query: string) => void;
  /** Undefined: the language is not to be chosen now. */
  onLanguage: ((language: QueryLanguage) => void) | undefined;
}) {
  return (
    <>
      {language === 'oql' ? (
        <QueryField example={examples.oql} value={query} error={error} onChange={onChange} />
      ) : (
        <QueryFrame error={error}>
          <PlainQuery
            label="PromQL query"
            example={examples.promql}
            value={query}
            onChange={onChange}
            onRun={() => {}}
          />
        </QueryFrame>
      )}
      {onLanguage && <LanguagePicker value={language} onChange={onLanguage} />}
    </>
  );
}
