import type { QueryLanguage } from '@fanion/contract';
import { languageOf } from '../../telemetry/query-language.ts';
import { SegmentedControl } from '../../ui/mantine.ts';

/** In which language the query is written. */
export function LanguagePicker({
  value,
  onChange,
}: {
  value: QueryLanguage;
  onChange: (language: QueryLanguage) => void;
}) {
  return (
    <SegmentedControl
      aria-label="Language"
      value={value}
      onChange={(next) => onChange(languageOf(next))}
      data={[
        { value: 'oql', label: 'OQL' },
        { value: 'promql', label: 'PromQL' },
      ]}
    />
  );
}
