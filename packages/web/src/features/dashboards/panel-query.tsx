import type { DashboardPanel } from '@fanion/contract';
import { OqlEditor, PlainQuery } from '../../telemetry/editor/lazy.tsx';
import { useFieldHints } from '../../telemetry/field-hints.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Button, Group, TextInput } from '../../ui/mantine.ts';
import { LanguagePicker } from '../explore/language-picker.tsx';
import classes from './dashboards.module.css';

/** The query of a panel in its language. */
export function PanelQuery({
  panel,
  set,
  draft,
  onChange,
  onRun,
}: {
  panel: DashboardPanel;
  set: (change: Partial<DashboardPanel>) => void;
  draft: string;
  onChange: (query: string) => void;
  onRun: () => void;
}) {
  const hints = useFieldHints();
  const { query_language: language = 'oql', series_name, more_queries = [] } = panel;
  const isOql = language === 'oql';
  return (
    <div>
      <div className={classes.editor}>
        {isOql ? (
          <OqlEditor value={draft} onChange={onChange} onRun={onRun} hints={hints} />
        ) : (
          <PlainQuery label="PromQL query" value={draft} onChange={onChange} onRun={onRun} />
        )}
      </div>
      {!isOql && (
        <TextInput
          label="Name of a series"
          description="{{label}} is the value of a label"
          value={series_name ?? ''}
          maxLength={1000}
          onChange={(event) => set({ series_name: event.currentTarget.value || undefined })}
        />
      )}
      {more_queries.length > 0 && (
        <CodeBlock code={more_queries.map(({ query }) => query).join('\n')} label="more queries" />
      )}
      <Group justify="space-between" mt={6}>
        <LanguagePicker
          value={language}
          onChange={(next) =>
            set(
              next === 'promql'
                ? { query_language: next }
                : { query_language: undefined, series_name: undefined, more_queries: undefined },
            )
          }
        />
        <span className="dim">
          Use a variable as <code>$name</code>. A condition with a variable of any value is true.
        </span>
        <Button size="xs" variant="default" onClick={onRun} disabled={draft.trim() === ''}>
          Run
        </Button>
      </Group>
    </div>
  );
}
