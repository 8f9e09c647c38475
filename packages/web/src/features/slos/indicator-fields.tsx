import { QueryField } from '../../telemetry/editor/query-field.tsx';
import columns from '../../ui/columns.module.css';
import { Select, TextInput } from '../../ui/mantine.ts';
import type { DraftForm } from '../../ui/resource/draft-form.tsx';
import { LanguageField } from '../explore/language-field.tsx';
import { LanguagePicker } from '../explore/language-picker.tsx';
import { OPERATORS, SLICES, type SloDraft } from './slo-draft.ts';

const EXAMPLES = {
  source: 'spans | where service.name == "checkout" and kind == server',
  good: 'metric http.server.request.count | where http.response.status_code < 500 | increase | stats value=sum(value)',
  total: 'metric http.server.request.count | increase | stats value=sum(value)',
  query: 'spans | where service.name == "checkout" | stats value=p95(duration)',
} as const;
const PROMQL_EXAMPLES = {
  good: 'sum(increase(http_requests_total{code!~"5.."}[1m]))',
  total: 'sum(increase(http_requests_total[1m]))',
  query: 'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))',
} as const;

type Props = Pick<DraftForm<SloDraft>, 'draft' | 'problems' | 'set'>;

/** What an SLO counts, by its kind. */
export function IndicatorFields(props: Props) {
  const { draft, problems, set } = props;
  const { language } = draft;
  const query = (key: 'good' | 'total' | 'query', label: string) => (
    <LanguageField
      key={key}
      label={label}
      examples={{ oql: EXAMPLES[key], promql: PROMQL_EXAMPLES[key] }}
      query={draft[key]}
      language={language}
      error={problems[key]}
      onChange={(value) => set({ [key]: value })}
      onLanguage={undefined}
    />
  );
  const picker = <LanguagePicker value={language} onChange={(next) => set({ language: next })} />;
  switch (draft.kind) {
    case 'events':
      return <EventFields {...props} />;
    case 'ratio':
      return (
        <>
          {query('good', 'Good events')}
          {query('total', 'All events')}
          {picker}
          {language === 'promql' && (
            <span className="dim">
              Each expression counts the events of a minute in one series: every selector has the range{' '}
              <code>[1m]</code>.
            </span>
          )}
        </>
      );
    case 'slices':
      return (
        <>
          {query('query', 'Value')}
          {picker}
          <SliceFields {...props} />
          <span className="dim">
            {language === 'promql'
              ? 'The expression returns one series, which is judged at the end of each slice.'
              : 'A duration is a number of nanoseconds: 300 ms is 300000000.'}
          </span>
        </>
      );
  }
}

/** The events, and which of them are good. */
function EventFields({ draft, problems, set }: Props) {
  return (
    <>
      <QueryField
        label="Events"
        example={EXAMPLES.source}
        value={draft.source}
        error={problems.source}
        onChange={(source) => set({ source })}
      />
      <TextInput
        label="Good events meet"
        placeholder="status != error and duration < 300ms"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--f-mono)', fontSize: 12 } }}
        value={draft.condition}
        error={problems.condition}
        onChange={(event) => set({ condition: event.currentTarget.value })}
      />
    </>
  );
}

/** Which values are good, and how long a slice is. */
function SliceFields({ draft, problems, set }: Props) {
  return (
    <div className={columns.row}>
      <Select
        label="Good if it is"
        data={[...OPERATORS]}
        value={draft.op}
        onChange={(op) => set({ op: op as SloDraft['op'] })}
      />
      <TextInput
        label="Threshold"
        placeholder={draft.language === 'promql' ? '0.3' : '300000000'}
        inputMode="decimal"
        value={draft.threshold}
        error={problems.threshold}
        onChange={(event) => set({ threshold: event.currentTarget.value })}
      />
      <Select
        label="Slice"
        data={[...SLICES]}
        value={draft.slice}
        onChange={(slice) => set({ slice: slice as SloDraft['slice'] })}
      />
    </div>
  );
}
