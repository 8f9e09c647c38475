import {
  ApiError,
  type DashboardPanel,
  type DashboardVariable,
  type ErrorBody,
  type PanelData,
  previewDashboard,
  queryPanelTypes,
  routePath,
  type VariableValues,
} from '@fanion/contract';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { z } from 'zod';
import { noteRefusal } from '../../api/client.ts';
import { partialTimes } from '../../telemetry/oql.ts';
import type { ChartWindow } from '../../ui/chart/options.ts';
import { type ResolvedRange, resolveRange, type TimeRange } from '../../ui/time/time-range.ts';
import type { DashboardPlace } from './queries.ts';

type Line = z.output<typeof PanelData>;
export type PanelResult = Extract<Line, { rows: unknown }>;

/** What is known of a panel's data; `isLoading` beside a result: a newer one is on its way. */
export interface PanelState {
  readonly isLoading: boolean;
  readonly result?: PanelResult;
  readonly error?: ApiError;
  /** The window that was asked for, in epoch milliseconds. */
  readonly window?: ChartWindow | undefined;
}

const withQuery: ReadonlySet<string> = new Set(queryPanelTypes);

export function hasQuery({ type, query }: DashboardPanel): boolean {
  return withQuery.has(type) && query !== undefined && query.trim() !== '';
}

export interface PanelDataRequest {
  readonly place: DashboardPlace;
  readonly panels: readonly DashboardPanel[];
  readonly definitions: readonly DashboardVariable[];
  readonly values: VariableValues;
  readonly range: TimeRange;
  /** Another number asks again. */
  readonly round: number;
  /** How old answers may be, in seconds; undefined: as the server decides. */
  readonly maxAge: number | undefined;
}

/**
 * The data of panels, each as soon as it is there. Only panels whose question changed are asked again; they keep what they
 * showed until the new answer comes.
 */
export function usePanelData(request: PanelDataRequest): ReadonlyMap<string, PanelState> {
  const [states, setStates] = useState<ReadonlyMap<string, PanelState>>(new Map());
  const known = useRef(new Map<string, string>());
  const { place, panels, definitions, values, range, round } = request;
  const asked = useMemo(() => {
    const shared = JSON.stringify([place, definitions, values, range, round]);
    return panels.filter(hasQuery).map((panel) => {
      const { split, query, query_language, series_name, more_queries, variables } = panel;
      const own = [split?.flag, query, query_language, series_name, more_queries, variables];
      return { panel, key: `${shared} ${JSON.stringify(own)}` };
    });
  }, [place, panels, definitions, values, range, round]);
  const current = useRef({ ...request, asked });
  current.current = { ...request, asked };
  const keys = asked.map(({ panel, key }) => `${panel.id} ${key}`).join('\n');

  useEffect(() => {
    if (keys === '') return;
    const { asked, place, range, maxAge } = current.current;
    const wanted = asked.filter(({ panel, key }) => known.current.get(panel.id) !== key);
    if (wanted.length === 0) return;
    const controller = new AbortController();
    const window = resolveRange(range, Date.now()) ?? undefined;
    const keyOf = new Map(wanted.map(({ panel, key }) => [panel.id, key]));
    const set = (id: string, state: (before: PanelState | undefined) => PanelState) =>
      setStates((old) => new Map(old).set(id, state(old.get(id))));
    for (const { panel } of wanted) set(panel.id, (before) => ({ ...before, isLoading: true }));
    const settle = (id: string, state: PanelState) => {
      const key = keyOf.get(id);
      if (key === undefined) return;
      keyOf.delete(id);
      known.current.set(id, key);
      set(id, () => state);
    };
    const body = bodyOf(
      current.current,
      wanted.map(({ panel }) => panel),
    );
    readLines(place.ws, body, maxAge, controller.signal, (line) => {
      settle(line.panel, stateOf(line, window));
    })
      .then(() => {
        // A stream that ends early would leave panels loading.
        for (const id of [...keyOf.keys()])
          settle(id, { isLoading: false, error: unreachable('NET-0001', 'the answer ended early') });
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        noteRefusal(error);
        const shown = error instanceof ApiError ? error : unreachable('NET-0000', 'the server cannot be reached');
        for (const id of [...keyOf.keys()]) settle(id, { isLoading: false, error: shown });
      });
    return () => controller.abort();
  }, [keys]);
  return states;
}

function unreachable(code: string, message: string): ApiError {
  return new ApiError({ code, message, status: 0 });
}

function bodyOf({ place, definitions, values, range }: PanelDataRequest, panels: readonly DashboardPanel[]): object {
  return {
    panels,
    definitions: [...definitions],
    variables: values,
    ...range,
    ...(place.project !== undefined && { project: place.project }),
    ...(place.environment !== undefined && { environment: place.environment }),
  };
}

/** What a line says about its panel. @param window that was asked for, if the line does not name it */
export function stateOf(
  line: Line | { panel: string; error: ErrorBody },
  window: ResolvedRange | undefined,
): PanelState {
  if ('error' in line) return { isLoading: false, error: new ApiError(line.error as ErrorBody) };
  return { isLoading: false, result: line, window: windowOf(line) ?? window };
}

function windowOf({ meta }: PanelResult): ChartWindow | undefined {
  const [from, to] = [Date.parse(String(meta.from)), Date.parse(String(meta.to))];
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : { from, to, partial: partialTimes(meta) };
}

async function readLines(
  ws: string,
  body: object,
  maxAge: number | undefined,
  signal: AbortSignal,
  onLine: (line: Line) => void,
): Promise<void> {
  const response = await fetch(routePath(previewDashboard, { ws }), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(maxAge !== undefined && { 'cache-control': maxAge === 0 ? 'no-cache' : `max-age=${maxAge}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || response.body === null) {
    const envelope = (await response.json().catch(() => null)) as { error?: ErrorBody } | null;
    const { status } = response;
    throw new ApiError(envelope?.error ?? { code: 'NET-0001', message: `the server answered ${status}`, status });
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(JSON.parse(line) as Line);
  }
}
