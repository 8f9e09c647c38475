import { type Annotation, listAnnotations } from '@fanion/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { call } from '../api/client.ts';
import { type Scope, useCan, useScope } from '../app/session.ts';
import { useEnvironment, useTimeRange } from '../app/time-range.ts';
import { type Mark, type MarkSet, MarksSource, type MarkTone } from '../ui/chart/marks.tsx';
import { AppLink } from '../ui/link.tsx';
import { resolveRange, type TimeRange } from '../ui/time/time-range.ts';
import { Timestamp } from '../ui/timestamp.tsx';
import { type ChartSubject, changedFlags, concerns, evaluatedQuery } from './mark-rules.ts';
import { oqlQuery } from './oql.ts';

/** The most annotations of a window that charts mark. */
const MOST = 500;
const LONGEST_LABEL = 80;
/** Shown before and after a note. */
const AROUND_MS = 30 * 60_000;
const NOTHING: MarkSet = { window: undefined, marks: [] };

/** What annotations are about, where that is not the page's project and environment. */
interface Place {
  /** Null: all projects. */
  readonly project?: string | null | undefined;
  readonly environment?: string | undefined;
  /** The service that charts show: they mark only what concerns it. */
  readonly service?: string | undefined;
}

const PlaceContext = createContext<Place>({});

/**
 * Charts below mark what people wrote, changes of flags, ramps and rollbacks, alerts and deploys. What is not given is that of
 * the `Annotations` around.
 */
export function Annotations({ children, ...place }: Place & { children: ReactNode }) {
  const outer = useContext(PlaceContext);
  const { project = outer.project, environment = outer.environment, service = outer.service } = place;
  const value = useMemo(() => ({ project, environment, service }), [project, environment, service]);
  return (
    <PlaceContext value={value}>
      <MarksSource value={useAnnotationMarks}>{children}</MarksSource>
    </PlaceContext>
  );
}

interface Request extends Place {
  readonly ws: string;
  readonly range: TimeRange;
}

function annotationsQuery({ ws, range, project, environment, service }: Request) {
  return queryOptions({
    queryKey: [listAnnotations.id, ws, range, project, environment, service] as const,
    queryFn: async ({ signal }) => {
      const window = resolveRange(range, Date.now()) ?? undefined;
      const query = {
        ...range,
        limit: MOST,
        ...(project != null && { project }),
        ...(environment !== undefined && { environment }),
        ...(service !== undefined && { service }),
      };
      const { data, meta } = await call(listAnnotations, { params: { ws }, query, signal });
      return { window, items: data, isCut: meta.next_cursor != null };
    },
  });
}

function useAnnotationMarks(): MarkSet {
  const { ws, project } = useScope();
  const pageEnvironment = useEnvironment();
  const place = useContext(PlaceContext);
  const { range } = useTimeRange();
  const { data } = useQuery({
    ...annotationsQuery({
      ws,
      range,
      project: place.project === undefined ? project : place.project,
      environment: place.environment ?? pageEnvironment,
      service: place.service,
    }),
    enabled: useCan('dashboards:read'),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // A window that ends now moves on.
    refetchInterval: range.to === 'now' ? 60_000 : false,
  });
  const subject = useSubject(place, data);
  return useMemo(
    () => (data === undefined ? NOTHING : marksOf(data, { ws, project }, subject)),
    [data, ws, project, subject],
  );
}

/** What the charts are about; undefined: the whole project. */
function useSubject({ service, project }: Place, answer: Answer | undefined): ChartSubject | undefined {
  const scope = useScope();
  const { range } = useTimeRange();
  const asked = useMemo(() => changedFlags(answer?.items ?? []), [answer]);
  const found = useQuery({
    ...oqlQuery({
      query: evaluatedQuery(service ?? '', asked),
      ws: scope.ws,
      project: project ?? scope.project,
      environment: undefined,
      range,
    }),
    // Flags of other projects are evaluated there.
    enabled: useCan('telemetry:query') && service !== undefined && project !== null && asked.length > 0,
    staleTime: 60_000,
  });
  const { data, isLoading } = found;
  return useMemo(() => {
    if (service === undefined) return undefined;
    if (data !== undefined)
      return { service, flags: { asked, evaluated: new Set(data.result.rows.map(([flag]) => String(flag))) } };
    // Without an answer, all changes of flags are marked rather than none.
    return { service, flags: isLoading ? undefined : { asked: [], evaluated: new Set<string>() } };
  }, [service, data, isLoading, asked]);
}

interface Answer {
  readonly window: MarkSet['window'];
  readonly items: readonly Annotation[];
  readonly isCut: boolean;
}

function marksOf({ window, items, isCut }: Answer, scope: Scope, subject: ChartSubject | undefined): MarkSet {
  const oldest = items.at(-1);
  const shown = subject === undefined ? items : items.filter((one) => concerns(one, subject));
  const marks = shown.map(
    (one): Mark => ({
      time: Date.parse(one.time),
      ...(one.end !== null && { end: Date.parse(one.end) }),
      label: one.text.length > LONGEST_LABEL ? `${one.text.slice(0, LONGEST_LABEL - 1)}…` : one.text,
      tone: toneOf(one),
      details: <Details annotation={one} scope={scope} />,
    }),
  );
  if (!isCut || oldest === undefined) return { window, marks };
  const details = `Older events are not marked: the window has more than ${MOST}.`;
  return { window, marks: [...marks, { time: Date.parse(oldest.time), label: 'older events are left out', details }] };
}

function toneOf({ kind, alert }: Annotation): MarkTone {
  switch (kind) {
    case 'alert':
      return alert?.state === 'firing' ? 'error' : 'ok';
    case 'rollback':
      return 'error';
    case 'flag':
    case 'ramp':
      return 'accent';
    case 'manual':
    case 'deploy':
      return 'neutral';
  }
}

const KINDS: Readonly<Record<Annotation['kind'], string>> = {
  manual: 'Note',
  flag: 'Flag change',
  ramp: 'Ramp',
  rollback: 'Rollback',
  alert: 'Alert',
  deploy: 'Deploy',
};

function Details({ annotation, scope }: { annotation: Annotation; scope: Scope }) {
  const { kind, text, time, end, author, tags, environment } = annotation;
  const facts = [KINDS[kind], environment, author, ...tags].filter((fact) => fact !== null && fact !== '');
  return (
    <>
      <strong>{text}</strong>
      <div className="dim">
        <Timestamp value={time} />
        {end !== null && (
          <>
            {' – '}
            <Timestamp value={end} />
          </>
        )}
      </div>
      <div className="dim">{facts.join(' · ')}</div>
      <Opens annotation={annotation} scope={scope} />
    </>
  );
}

/** A link to what happened. */
function Opens({
  annotation: { flag, alert, kind, service, project, environment, time, end },
  scope,
}: {
  annotation: Annotation;
  scope: Scope;
}) {
  const params = { ...scope, project: project ?? scope.project };
  const env = environment ?? undefined;
  if (flag !== null)
    return (
      <AppLink to="/w/$ws/$project/flags/$key" params={{ ...params, key: flag }} search={{ env, tab: 'history' }}>
        Open the history of {flag}
      </AppLink>
    );
  if (alert !== null)
    return (
      <AppLink to="/w/$ws/$project/alerts/$id" params={{ ...params, id: alert.instance_id }}>
        Open the alert
      </AppLink>
    );
  if (kind === 'deploy' && service !== null)
    return (
      <AppLink to="/w/$ws/$project/services/$service" params={{ ...params, service }}>
        Open {service}
      </AppLink>
    );
  // What people wrote is about a time, and is shown with what else happened around it.
  const [from, to] = [Date.parse(time) - AROUND_MS, Date.parse(end ?? time) + AROUND_MS];
  return (
    <AppLink
      to="/w/$ws/$project/timeline"
      params={params}
      search={{
        env,
        service: service ?? undefined,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      }}
    >
      Show what happened around it
    </AppLink>
  );
}
