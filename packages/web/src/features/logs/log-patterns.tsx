import { listLogPatternShapes, listLogPatterns, type RouteResponse } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { severityColour, severityRank } from '../../telemetry/severity.ts';
import { Severity } from '../../telemetry/severity-label.tsx';
import { Sparkline } from '../../telemetry/sparkline.tsx';
import { type Column, DataTable, listHeight, type MoveSelection } from '../../ui/data-table.tsx';
import { Docked, DockedPanel } from '../../ui/docked-panel.tsx';
import { countOf, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { Button, Group, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { hidesEvaluations, type LogSearch, patternsSearch, SEVERITIES } from './log-search.ts';
import classes from './logs.module.css';

export type LogPattern = RouteResponse<typeof listLogPatterns>['patterns'][number];

/** Maximum number of shapes in a condition in the address. */
const MAX_SHAPES = 400;

const COLUMNS: readonly Column<LogPattern>[] = [
  { id: 'count', header: 'Lines', width: 90, number: (pattern) => pattern.count },
  { id: 'share', header: 'Share', width: 80, number: (pattern) => pattern.share, format: formatPercent },
  {
    id: 'trend',
    header: 'Over time',
    width: 140,
    cell: (pattern) => <Trend pattern={pattern} />,
  },
  {
    id: 'severity',
    header: 'Severity',
    width: 90,
    sortBy: (pattern) => severityRank(usual(pattern)),
    cell: (pattern) => <Severity value={usual(pattern)} />,
  },
  {
    id: 'services',
    header: 'Services',
    width: 170,
    cell: (pattern) => (
      <span className={classes.services}>
        <ServiceName name={pattern.services[0] ?? ''} />
        {pattern.services.length > 1 && <span className="dim">+{pattern.services.length - 1}</span>}
      </span>
    ),
  },
  {
    id: 'template',
    header: 'Pattern',
    cell: (pattern) => (
      <>
        {pattern.is_new && <span className={classes.fresh}>new</span>}
        <Template text={pattern.template} />
      </>
    ),
  },
];

function askedOf(search: LogSearch, words: string | null, project: string, environment: string | undefined) {
  const severity = SEVERITIES.find((level) => level === search.severity);
  return {
    project,
    ...(environment !== undefined && { environment }),
    ...(search.service !== undefined && { service: search.service }),
    ...(severity !== undefined && { severity }),
    ...(words !== null && words !== '' && { search: words }),
    ...(hidesEvaluations(search) && { flag_evaluations: 'exclude' as const }),
  };
}

/** The patterns that a search finds, and all shapes of the opened one. `isPartial`: patterns ignore a part of the search. */
function usePatterns(search: LogSearch, opened: LogPattern | null) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const words = patternsSearch(search.q ?? '');
  const asked = askedOf(search, words, project, environment);
  const patterns = useQuery({
    ...routeQuery(listLogPatterns, { params: { ws }, query: { ...asked, ...range, limit: 500 } }),
    placeholderData: keepPreviousData,
  });
  const all = useQuery({
    ...routeQuery(listLogPatternShapes, {
      params: { ws },
      query: { ...asked, ...patterns.data?.window, pattern: opened?.id ?? '0', limit: MAX_SHAPES },
    }),
    enabled: opened !== null && opened.shape_count > opened.shapes.length,
  });
  const shapes = all.data?.map(({ shape }) => shape) ?? opened?.shapes ?? [];
  return { patterns, all, shapes, isPartial: words === null || search.where !== undefined };
}

/** The templates of the lines in a time range, most frequent first. `onFilter` shows the lines of the given shapes. */
export function LogPatterns({ search, onFilter }: { search: LogSearch; onFilter: (shapes: string[]) => void }) {
  const [opened, setOpened] = useState<LogPattern | null>(null);
  const mover = useRef<MoveSelection | null>(null);
  const { patterns, all, shapes, isPartial } = usePatterns(search, opened);
  if (patterns.isError) return <ErrorState error={patterns.error} onRetry={() => void patterns.refetch()} />;
  if (patterns.isPending) return <Loading label="Finding patterns" />;
  const { data } = patterns;
  if (data.patterns.length === 0) {
    return (
      <EmptyWindow title="No log lines found">Remove a word, lower the severity, or widen the time range.</EmptyWindow>
    );
  }
  return (
    <>
      {isPartial && (
        <Notice kind="info">Patterns use only service, severity and words. They ignore conditions and filters.</Notice>
      )}
      <Docked
        panel={
          opened && (
            <DockedPanel title="Pattern" onClose={() => setOpened(null)} onMove={(by) => mover.current?.(by)}>
              <PatternDetail
                pattern={opened}
                since={data.since}
                loading={all.isLoading}
                onFilter={() => onFilter([...shapes])}
              />
            </DockedPanel>
          )
        }
      >
        <Panel
          title={`${countOf(data.patterns.length + data.other.patterns, 'pattern')} in ${countOf(data.total, 'line')}`}
          tight
        >
          <DataTable
            label="Log patterns"
            rows={data.patterns}
            rowKey={(pattern) => pattern.id}
            onRowClick={setOpened}
            selectedKey={opened?.id}
            mover={mover}
            height={listHeight(data.patterns.length, 200)}
            columns={COLUMNS}
          />
        </Panel>
        {data.other.patterns > 0 && (
          <p className="dim">
            {countOf(data.other.count, 'line')} in {countOf(data.other.patterns, 'rarer pattern')} are not listed.
          </p>
        )}
      </Docked>
    </>
  );
}

function Trend({ pattern }: { pattern: LogPattern }) {
  const scheme = useComputedColorScheme();
  return (
    <Sparkline
      label={`${countOf(pattern.count, 'line')} over time`}
      values={pattern.trend}
      colour={severityColour(usual(pattern), scheme)}
    />
  );
}

/** The most frequent level of a pattern; the details list the others. */
function usual(pattern: LogPattern): string {
  return Object.entries(pattern.severities).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

/** A template; the variable parts are dimmed. */
function Template({ text }: { text: string }) {
  if (text === '') return <span className="dim">no body</span>;
  return (
    <span className="mono">
      {text.split(/(\*)/).map((part, index) =>
        part === '*' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <span key={index} className={classes.wildcard}>
            *
          </span>
        ) : (
          part
        ),
      )}
    </span>
  );
}

function PatternDetail({
  pattern,
  since,
  loading,
  onFilter,
}: {
  pattern: LogPattern;
  since: string;
  loading: boolean;
  onFilter: () => void;
}) {
  return (
    <Stack gap="md">
      <div className={classes.template}>
        <Template text={pattern.template} />
      </div>
      <Group>
        <Button onClick={onFilter} loading={loading}>
          Show lines
        </Button>
        {pattern.shape_count > MAX_SHAPES && (
          <span className="dim">
            The {MAX_SHAPES} most frequent of its {formatNumber(pattern.shape_count)} shapes
          </span>
        )}
      </Group>
      <PatternFacts pattern={pattern} since={since} />
      <section aria-label="Examples">
        <h3>Examples</h3>
        <ul className={classes.examples}>
          {pattern.examples.map((example) => (
            <li key={example} className="mono">
              {example === '' ? <span className="dim">no body</span> : example}
            </li>
          ))}
        </ul>
      </section>
    </Stack>
  );
}

function PatternFacts({ pattern, since }: { pattern: LogPattern; since: string }) {
  return (
    <dl className={classes.facts}>
      <dt>Lines</dt>
      <dd>
        {formatNumber(pattern.count)}, {formatPercent(pattern.share)} of all
      </dd>
      <dt>Severity</dt>
      <dd>
        {Object.entries(pattern.severities)
          .map(([level, count]) => `${level} ${formatNumber(count)}`)
          .join(', ')}
      </dd>
      <dt>Services</dt>
      <dd>{pattern.services.join(', ')}</dd>
      <dt>First seen</dt>
      <dd>
        <Timestamp value={pattern.first_seen} />
        {pattern.is_new && (
          <>
            {', new since '}
            <Timestamp value={since} />
          </>
        )}
      </dd>
      <dt>Last seen</dt>
      <dd>
        <Timestamp value={pattern.last_seen} />
      </dd>
    </dl>
  );
}
