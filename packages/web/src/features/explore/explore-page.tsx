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
import { OqlEditor } from '../../telemetry/editor/oql-editor.tsx';
import { useFieldHints } from '../../telemetry/field-hints.ts';
import { useOql } from '../../telemetry/oql.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { Button } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { AddToDashboard } from '../dashboards/add-to-dashboard.tsx';
import { diagnosticsOf } from './diagnostics.ts';
import { EXAMPLES } from './examples.ts';
import { ExplainDrawer } from './explain-drawer.tsx';
import classes from './explore.module.css';
import { LibraryDrawer, type Opened } from './library-drawer.tsx';
import { QueryChips } from './query-chips.tsx';
import { QueryResults } from './query-results.tsx';
import { SaveDialog } from './save-dialog.tsx';

/** The OQL page; the address contains the query that ran. */
export function ExplorePage() {
  const { q } = useSearch({ from: '/w/$ws/$project/explore' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(q ?? '');
  const scope = useScope();
  const canSave = useCan('dashboards:write');
  const canAlert = useCan('alerts:write');
  const [library, setLibrary] = useState(false);
  const [saving, setSaving] = useState<string | null>(null);
  const [adding, setAdding] = useState<string | null>(null);
  const [explaining, setExplaining] = useState(false);
  const answer = useOql(q ?? null, { keep: true });
  // Back, forward and links change the query that ran; the editor follows.
  useEffect(() => setDraft(q ?? ''), [q]);

  const run = (query: string) => {
    const text = query.trim();
    if (text === '') return;
    setDraft(text);
    if (text === q) void answer.refetch();
    else void navigate({ to: '.', search: (old) => ({ ...old, q: text, view: undefined }) });
  };
  const open = ({ query, from, to, env }: Opened) => {
    setLibrary(false);
    void navigate({
      to: '.',
      search: (old) => ({
        ...old,
        q: query,
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
        <OqlEditor value={draft} onChange={setDraft} onRun={() => run(draft)} hints={hints} />
        <QueryChips query={draft} hints={hints} onChange={run} />
        <div className={classes.bar}>
          <span className={classes.hint}>{shortcut('Enter')} runs the query</span>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconFolderOpen size={15} stroke={1.6} />}
            onClick={() => setLibrary(true)}
          >
            Queries
          </Button>
          {canSave && (
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconDeviceFloppy size={15} stroke={1.6} />}
              disabled={draft.trim() === ''}
              onClick={() => setSaving(draft.trim())}
            >
              Save
            </Button>
          )}
          {canSave && (
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconLayoutDashboard size={15} stroke={1.6} />}
              disabled={draft.trim() === ''}
              onClick={() => setAdding(draft.trim())}
            >
              Add to dashboard
            </Button>
          )}
          {canAlert && (
            <ButtonLink
              variant="subtle"
              color="gray"
              leftSection={<IconBell size={15} stroke={1.6} />}
              to="/w/$ws/$project/alerts/rules/new"
              params={scope}
              search={{ q: draft.trim() }}
            >
              Make an alert
            </ButtonLink>
          )}
          {canSave && (
            <ButtonLink
              variant="subtle"
              color="gray"
              leftSection={<IconTargetArrow size={15} stroke={1.6} />}
              to="/w/$ws/$project/slos/new"
              params={scope}
              search={sloSearchOf(draft)}
            >
              Make an SLO
            </ButtonLink>
          )}
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconBulb size={15} stroke={1.6} />}
            disabled={draft.trim() === ''}
            onClick={() => setExplaining(true)}
          >
            Explain
          </Button>
          {answer.isFetching ? (
            <Button variant="default" onClick={cancel} miw={92}>
              Cancel
            </Button>
          ) : (
            <Button
              leftSection={<IconPlayerPlay size={14} />}
              disabled={draft.trim() === ''}
              onClick={() => run(draft)}
              miw={92}
            >
              Run
            </Button>
          )}
        </div>
      </section>
      {q === undefined ? (
        <Examples onPick={run} />
      ) : answer.isError ? (
        <QueryFault query={q} error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.data ? (
        <div className={answer.isPlaceholderData ? classes.running : undefined} aria-busy={answer.isFetching}>
          <QueryResults answer={answer.data} query={q} onRun={run} />
        </div>
      ) : answer.isFetching ? (
        <Loading label="Running the query" />
      ) : null}
      <LibraryDrawer opened={library} onClose={() => setLibrary(false)} onOpen={open} />
      <SaveDialog query={saving} onClose={() => setSaving(null)} />
      <AddToDashboard
        query={adding}
        kind={adding === q ? answer.data?.result.kind : undefined}
        onClose={() => setAdding(null)}
      />
      <ExplainDrawer query={explaining ? draft : null} onClose={() => setExplaining(false)} />
    </Page>
  );
}

/** Why a query failed; for an invalid query, the position of each error and the suggested text. */
function QueryFault({ query, error, onRetry }: { query: string; error: unknown; onRetry: () => void }) {
  const diagnostics = diagnosticsOf(error);
  if (diagnostics.length === 0) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <section role="alert" aria-label="Query errors">
      <h2>The query is not valid</h2>
      <ul className={classes.diagnostics}>
        {diagnostics.map(({ code, message, span, suggestion }) => (
          <li key={`${code}-${span.start}-${message}`}>
            <code className={classes.culprit}>{query.slice(span.start, span.end) || 'end of the query'}</code>
            <span>
              {withCode(message)}{' '}
              {suggestion && !message.includes(suggestion.text) && `Did you mean ${suggestion.text}?`}
            </span>
            <span className="dim">
              line {span.line}, column {span.column}, {code}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Examples({ onPick }: { onPick: (query: string) => void }) {
  return (
    <section aria-labelledby="examples">
      <h2 id="examples" style={{ marginBottom: 8 }}>
        Start from an example
      </h2>
      <ul className={classes.examples}>
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
