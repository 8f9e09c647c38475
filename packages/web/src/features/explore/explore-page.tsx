import { applySuggestion } from '@fanion/oql/syntax';
import {
  IconBell,
  IconBulb,
  IconDeviceFloppy,
  IconFolderOpen,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconTargetArrow,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { sloSearchOf } from '../../alerting/slo-search.ts';
import { shortcut } from '../../app/navigation.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { OqlEditor, PlainQuery } from '../../telemetry/editor/lazy.tsx';
import { useFieldHints } from '../../telemetry/field-hints.ts';
import { useOql } from '../../telemetry/oql.ts';
import { languageOf } from '../../telemetry/query-language.ts';
import { IconLink } from '../../ui/link.tsx';
import { ActionIcon, Button, Tooltip } from '../../ui/mantine.ts';
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
import { QueryChips } from './query-chips.tsx';
import { QueryResults } from './query-results.tsx';
import { SaveDialog } from './save-dialog.tsx';

/** The most rows of a time series, for fifty series of a thousand points. Other results show fewer rows and say so. */
const MOST_POINTS = 50_000;

function isOverTime(query: string | undefined): boolean {
  return query !== undefined && /\bbucket\s*\(/.test(query);
}

/** The page for queries in OQL and PromQL; the address contains the query that ran. */
export function ExplorePage() {
  const { q, lang } = useSearch({ from: '/w/$ws/$project/explore' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(q ?? '');
  const ran = languageOf(lang);
  const [language, setLanguage] = useState(ran);
  const isOql = language === 'oql';
  const scope = useScope();
  const canSave = useCan('dashboards:write');
  const canAlert = useCan('alerts:write');
  const [library, setLibrary] = useState(false);
  const [saving, setSaving] = useState<string | null>(null);
  const [adding, setAdding] = useState<string | null>(null);
  const [explaining, setExplaining] = useState(false);
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
        search: (old) => ({ ...old, q: text, lang: isOql ? undefined : language, view: undefined }),
      });
  };
  const open = ({ query, language, from, to, env }: Opened) => {
    setLibrary(false);
    void navigate({
      to: '.',
      search: (old) => ({
        ...old,
        q: query,
        lang: language === 'promql' ? language : undefined,
        view: undefined,
        ...(from !== undefined && { from, to }),
        ...(env !== undefined && { env }),
      }),
    });
  };
  const hints = useFieldHints();
  const cancel = () => void queries.cancelQueries({ queryKey: ['query.run'] });

  return (
    <Page title="Explore" actions={<TelemetryControls />}>
      <section className={classes.editor} aria-label="Query">
        <div className={classes.text}>
          <div className={classes.oql}>
            {isOql ? (
              <OqlEditor value={draft} onChange={setDraft} onRun={() => run(draft)} hints={hints} />
            ) : (
              <PlainQuery
                label="PromQL query"
                example="sum by (job) (rate(requests_total[5m]))"
                value={draft}
                onChange={setDraft}
                onRun={() => run(draft)}
              />
            )}
          </div>
          {answer.isFetching ? (
            <Button variant="default" onClick={cancel} miw={92}>
              Cancel
            </Button>
          ) : (
            <Tooltip label={`${shortcut('Enter')} runs the query`}>
              <Button
                leftSection={<IconPlayerPlay size={14} />}
                disabled={draft.trim() === ''}
                onClick={() => run(draft)}
                miw={92}
              >
                Run
              </Button>
            </Tooltip>
          )}
        </div>
        <div className={classes.bar}>
          <div>{isOql && <QueryChips query={draft} hints={hints} onChange={run} />}</div>
          <LanguagePicker value={language} onChange={setLanguage} />
          <div className={classes.actions}>
            <Action label="Queries" icon={IconFolderOpen} onClick={() => setLibrary(true)} />
            {canSave && (
              <>
                <Action
                  label="Save"
                  icon={IconDeviceFloppy}
                  disabled={draft.trim() === ''}
                  onClick={() => setSaving(draft.trim())}
                />
                <Action
                  label="Add to dashboard"
                  icon={IconLayoutDashboard}
                  disabled={draft.trim() === ''}
                  onClick={() => setAdding(draft.trim())}
                />
              </>
            )}
            {canAlert && (
              <Tooltip label="Create alert">
                <IconLink
                  size="md"
                  aria-label="Create alert"
                  to="/w/$ws/$project/alerts/rules/new"
                  params={scope}
                  search={{ q: draft.trim(), lang: isOql ? undefined : language }}
                >
                  <IconBell size={17} stroke={1.6} />
                </IconLink>
              </Tooltip>
            )}
            {canSave && (
              <Tooltip label="Create SLO">
                <IconLink
                  size="md"
                  aria-label="Create SLO"
                  to="/w/$ws/$project/slos/new"
                  params={scope}
                  search={sloSearchOf(draft, language)}
                >
                  <IconTargetArrow size={17} stroke={1.6} />
                </IconLink>
              </Tooltip>
            )}
            {isOql && (
              <Action
                label="Explain"
                icon={IconBulb}
                disabled={draft.trim() === ''}
                onClick={() => setExplaining(true)}
              />
            )}
          </div>
        </div>
      </section>
      {q === undefined ? (
        <Examples onPick={run} />
      ) : answer.isError ? (
        <QueryFault query={q} error={answer.error} onRun={run} onRetry={() => void answer.refetch()} />
      ) : answer.data ? (
        <div className={answer.isPlaceholderData ? classes.running : undefined} aria-busy={answer.isFetching}>
          <QueryResults answer={answer.data} query={q} language={ran} onRun={run} />
        </div>
      ) : answer.isFetching ? (
        <Loading label="Running the query" />
      ) : null}
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

/** An action on the query: its icon, with its name as a tooltip. */
function Action({
  label,
  icon: Icon,
  disabled = false,
  onClick,
}: {
  label: string;
  icon: typeof IconBulb;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="md" aria-label={label} disabled={disabled} onClick={onClick}>
        <Icon size={17} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
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
