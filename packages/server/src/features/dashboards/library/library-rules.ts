import { DashboardModel, type DashboardPanel, type DashboardVariable, dashboardColumns } from '@fanion/contract';

/** What a ready dashboard is about. It is offered once one of these has arrived. */
export type Need = { readonly metric: string } | { readonly spans: true };

/** A ready dashboard. */
export interface LibraryDashboard {
  /** Stays the same in later versions. */
  readonly key: string;
  readonly needs: readonly Need[];
  /** What sends it the data. */
  readonly sentBy: string;
  readonly model: DashboardModel;
}

type Chart = Pick<DashboardPanel, 'type' | 'title'> &
  Partial<Omit<DashboardPanel, 'id' | 'type' | 'title' | 'x' | 'y' | 'w' | 'h'>>;

interface Definition {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly sentBy: string;
  readonly needs: readonly Need[];
  readonly variables: readonly DashboardVariable[];
  /** Panels of one line share its width; all have its height. */
  readonly lines: readonly { readonly h: number; readonly panels: readonly Chart[] }[];
}

/** A ready dashboard with its panels laid out. */
export function libraryDashboard({ key, sentBy, needs, name, description, variables, lines }: Definition) {
  const panels: DashboardPanel[] = [];
  let y = 0;
  for (const { h, panels: charts } of lines) {
    const w = Math.floor(dashboardColumns / charts.length);
    charts.forEach((chart, at) => {
      panels.push({ description: '', ...chart, id: `panel-${panels.length + 1}`, x: at * w, y, w, h });
    });
    y += h;
  }
  const model = DashboardModel.parse({ name, description, tags: ['library'], panels, variables });
  return { key, sentBy, needs, model } satisfies LibraryDashboard;
}

/** A chart over time. */
export const chart = (title: string, query: string, more: Partial<Chart> = {}): Chart => ({
  type: 'time_series',
  title,
  query,
  ...more,
});
export const number = (title: string, query: string, more: Partial<Chart> = {}): Chart => ({
  type: 'stat',
  title,
  query,
  ...more,
});
export const table = (title: string, query: string, more: Partial<Chart> = {}): Chart => ({
  type: 'table',
  title,
  query,
  ...more,
});

/** A variable whose values are those of a label of a metric. */
export const labelOf = (name: string, label: string, metric: string): DashboardVariable => ({
  name,
  type: 'query',
  label: name,
  query: `metric ${metric} | count by ${label} | sort ${label} | fields ${label}`,
  multi: true,
  include_all: true,
});

const nameOf = (need: Need) => ('metric' in need ? need.metric : 'spans');

/** Queries whose rows are the names of what has arrived. */
export function arrivalQueries(dashboards: readonly LibraryDashboard[]): readonly string[] {
  const metrics = dashboards.flatMap(({ needs }) => needs.flatMap((need) => ('metric' in need ? [need.metric] : [])));
  return [
    `metrics | where name in (${metrics.map((name) => JSON.stringify(name)).join(', ')}) | fields name`,
    'spans | where kind == server or kind == consumer | limit 1 | extend found = "spans" | fields found',
  ];
}

/** A ready dashboard, with what of its needs has arrived. */
export function presented({ key, sentBy, needs, model }: LibraryDashboard, arrived: ReadonlySet<string>) {
  const found = needs.map((need) => ({ name: nameOf(need), arrived: arrived.has(nameOf(need)) }));
  return {
    key,
    name: model.name,
    description: model.description,
    sent_by: sentBy,
    needs: found,
    available: found.some((need) => need.arrived),
    model,
  };
}
