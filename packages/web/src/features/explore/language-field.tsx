import type { QueryLanguage } from '@fanion/contract';
import { PlainQuery } from '../../telemetry/editor/lazy.tsx';
import { QueryField, QueryFrame } from '../../telemetry/editor/query-field.tsx';
import { LanguagePicker } from './language-picker.tsx';

/** A query as a field of a form, with the choice of its language. */
export function LanguageField({
  label,
  examples,
  query,
  language,
  error,
  onChange,
  onLanguage,
}: {
  /** Shown above it, where a form has several. */
  label?: string;
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
        <QueryField
          {...(label !== undefined && { label })}
          example={examples.oql}
          value={query}
          error={error}
          onChange={onChange}
        />
      ) : (
        <QueryFrame {...(label !== undefined && { label })} error={error}>
          <PlainQuery
            label={label ?? 'PromQL query'}
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
