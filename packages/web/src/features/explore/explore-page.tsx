import type { QueryLanguage } from '@fanion/contract';
import { applySuggestion } from '@fanion/oql/syntax';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { shortcut } from '../../app/navigation.tsx';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { OqlEditor, PlainQuery } from '../../telemetry/editor/lazy.tsx';
import { type FieldHints, useFieldHints } from '../../telemetry/field-hints.ts';
import { useOql } from '../../telemetry/oql.ts';
import { languageOf } from '../../telemetry/query-language.ts';
import { Button, Tooltip } from '../../ui/mantine.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { AddToDashboard } from '../dashboards/add-to-dashboard.tsx';
import { diagnosticsOf, type OqlDiagnostic } from './diagnostics.ts';
import { EXAMPLES } from './examples.ts';
import { ExplainDrawer } from './explain-drawer.tsx';
import classes from './explore.module.css';
import { LanguagePicker } from './language-picker.tsx';
import { LibraryDrawer, type Opened } from './library-drawer.tsx';
import { QueryActions } from './query-actions.tsx';
import { QueryChips } from './query-chips.tsx';
import { QueryResults } from './query-results.tsx';
import { SaveDialog } from './save-dialog.tsx';

/** The most rows of a time series, for fifty series of a thousand points. Other results show fewer rows and say so. */
const MOST_POINTS = 50_000;

function isOverTime(query: string | undefined): boolean {
  return query !== undefined && /\bbucket\s*\(/.test(query);
}

/** The query that is written, and the answer to the one that ran, which is part of the address. */
function useQueryInAddress() {
  const { q, lang } = useSearch({ from: '/w/$ws/$project/explore' });
  const navigate = useNavigate();
  const [draft, setDraft] = useState(q ?? '');
  const ran = languageOf(lang);
  const [language, setLanguage] = useState(ran);
  // A chart of the first rows alone would end before its window does.
  const answer = useOql(q ?? null, {
    keep: true,
    ...(isOverTime(q) && { limit: MOST_POINTS }),
    ...(ran === 'promql' && { language: ran }),
  });
  // Back, forward and links change the query that ran; the editor follows.
  useEffect(() => {
    setDraft(q ?? '');
    setLanguage(ran);
  }, [q, ran]);

  const run = (query: string) => {
    const text = query.trim();
    if (text === '') return;
    setDraft(text);
    if (text === q && language === ran) void answer.refetch();
    else
      void navigate({
        to: '.',
        search: (old) => ({ ...old, q: text, lang: language === 'oql' ? undefined : language, view: undefined }),
      });
  };
  return { q, ran, draft, setDraft, language, setLanguage, answer, run };
}

/** The page for queries in OQL and PromQL; the address contains the query that ran. */
export function ExplorePage() {
  const { q, ran, draft, setDraft, language, setLanguage, answer, run } = useQueryInAddress();
  const navigate = useNavigate();
  const isOql = language === 'oql';
  const [library, setLibrary] = useState(false);
  const [saving, setSaving] = useState<string | null>(null);
  const [adding, setAdding] = useState<string | null>(null);
  const [explaining, setExplaining] = useState(false);
  const open = (opened: Opened) => {
    setLibrary(false);
    void navigate({ to: '.', search: (old) => ({ ...old, ...searchOf(opened) }) });
  };
  const hints = useFieldHints();

  return (
    <Page title="Explore" actions={<TelemetryControls />}>
      <section className={classes.editor} aria-label="Query">
        <div className={classes.text}>
          <div className={classes.oql}>
            <QueryText isOql={isOql} value={draft} onChange={setDraft} onRun={() => run(draft)} hints={hints} />
          </div>
          <RunButton isRunning={answer.isFetching} isEmpty={draft.trim() === ''} onRun={() => run(draft)} />
        </div>
        <div className={classes.bar}>
          <div>{isOql && <QueryChips query={draft} hints={hints} onChange={run} />}</div>
          <LanguagePicker value={language} onChange={setLanguage} />
          <div className={classes.actions}>
            <QueryActions
              draft={draft}
              language={language}
              onLibrary={() => setLibrary(true)}
              onSave={() => setSaving(draft.trim())}
              onAdd={() => setAdding(draft.trim())}
              onExplain={() => setExplaining(true)}
            />
          </div>
        </div>
      </section>
      <Outcome query={q} language={ran} answer={answer} onRun={run} />
      <LibraryDrawer opened={library} onClose={() => setLibrary(false)} onOpen={open} />
      <SaveDialog query={saving} language={language} onClose={() => setSaving(null)} />
      <AddToDashboard
        query={adding}
        language={language}
        kind={adding === q && language === ran ? answer.data?.result.kind : undefined}
        onClose={() => setAdding(null)}
      />
      <ExplainDrawer query={explaining ? draft : null} onClose={() => setExplaining(false)} />
    </Page>
  );
}

/** What the address says about a query of the library. */
function searchOf({ query, language, from, to, env }: Opened) {
  return {
    q: query,
    lang: language === 'promql' ? language : undefined,
    view: undefined,
    ...(from !== undefined && { from, to }),
    ...(env !== undefined && { env }),
  };
}

function QueryText({
  isOql,
  value,
  onChange,
  onRun,
  hints,
}: {
  isOql: boolean;
  value: string;
  onChange: (query: string) => void;
  onRun: () => void;
  hints: FieldHints;
}) {
  if (isOql) return <OqlEditor value={value} onChange={onChange} onRun={onRun} hints={hints} />;
  return (
    <PlainQuery
      label="PromQL query"
      example="sum by (job) (rate(requests_total[5m]))"
      value={value}
      onChange={onChange}
      onRun={onRun}
    />
  );
}

function RunButton({ isRunning, isEmpty, onRun }: { isRunning: boolean; isEmpty: boolean; onRun: () => void }) {
  const queries = useQueryClient();
  const cancel = () => void queries.cancelQueries({ queryKey: ['query.run'] });
  if (isRunning)
    return (
      <Button variant="default" onClick={cancel} miw={92}>
        Cancel
      </Button>
    );
  return (
    <Tooltip label={`${shortcut('Enter')} runs the query`}>
      <Button leftSection={<IconPlayerPlay size={14} />} disabled={isEmpty} onClick={onRun} miw={92}>
        Run
      </Button>
    </Tooltip>
  );
}

/** What a query answered, or why it failed; before there is one, examples. */
function Outcome({
  query,
  language,
  answer,
  onRun,
}: {
  query: string | undefined;
  language: QueryLanguage;
  answer: ReturnType<typeof useOql>;
  onRun: (query: string) => void;
}) {
  if (query === undefined) return <Examples onPick={onRun} />;
  if (answer.isError)
    return <QueryFault query={query} error={answer.error} onRun={onRun} onRetry={() => void answer.refetch()} />;
  if (answer.data)
    return (
      <div className={answer.isPlaceholderData ? classes.running : undefined} aria-busy={answer.isFetching}>
        <QueryResults answer={answer.data} query={query} language={language} onRun={onRun} />
      </div>
    );
  return answer.isFetching ? <Loading label="Running the query" /> : null;
}

/** Why a query failed; for an invalid query, the position of each error, and a button that makes the suggested change. */
function QueryFault({
  query,
  error,
  onRun,
  onRetry,
}: {
  query: string;
  error: unknown;
  onRun: (query: string) => void;
  onRetry: () => void;
}) {
  const diagnostics = diagnosticsOf(error);
  if (diagnostics.length === 0) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <section role="alert" aria-label="Query errors">
      <h2>The query is not valid</h2>
      <ul className={classes.diagnostics}>
        {diagnostics.map(({ code, message, span, suggestion }) => (
          <li key={`${code}-${span.start}-${message}`}>
            <code className={classes.culprit}>{query.slice(span.start, span.end) || 'end of the query'}</code>
            <span>{withCode(message)}</span>
            {suggestion && (
              <Button size="compact-xs" variant="light" onClick={() => onRun(applySuggestion(query, suggestion))}>
                {repairText(query, suggestion)}
              </Button>
            )}
            <span className="dim">
              line {span.line}, column {span.column}, {code}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a repair does: `Use where`, `Remove and`. */
function repairText(query: string, { text, edit }: NonNullable<OqlDiagnostic['suggestion']>): string {
  if (edit.text.trim() === '') return `Remove ${query.slice(edit.start, edit.end).trim()}`;
  return `${edit.start === edit.end ? 'Insert' : 'Use'} ${text}`;
}

function Examples({ onPick }: { onPick: (query: string) => void }) {
  const list = useOneStop<HTMLUListElement>();
  return (
    <section aria-labelledby="examples">
      <h2 id="examples" style={{ marginBottom: 8 }}>
        Start from an example
      </h2>
      <ul ref={list} className={classes.examples}>
        {EXAMPLES.map(({ title, query }) => (
          <li key={title}>
            <button type="button" className={classes.example} onClick={() => onPick(query)}>
              {title}
              <code>{query}</code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Renders text between backticks as code. */
function withCode(text: string): ReactNode {
  return text.split('`').map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}
