import {
  type DashboardModel,
  type DashboardPanel,
  type DashboardVariable,
  dashboardColumns,
  type PanelType,
  queryPanelTypes,
} from '@fanion/contract';
import type { Config } from '../../../config.ts';

export type ModelLimits = Pick<Config['dashboards']['limits'], 'panels' | 'bytes'>;

export type Problem = { readonly path: string; readonly message: string };

type Checked = Pick<DashboardModel, 'panels' | 'variables'>;

/** What is wrong with a model beyond its form, except for loops of variables; queries are not checked, since one that fails shows its error in its panel. */
export function problemsOf(model: Checked, limits: ModelLimits): Problem[] {
  const { panels, variables } = model;
  if (panels.length > limits.panels) return [{ path: 'panels', message: `at most ${limits.panels} panels` }];
  if (JSON.stringify(model).length > limits.bytes)
    return [
      { path: 'panels', message: `the dashboard is larger than ${limits.bytes} bytes: shorten texts or queries` },
    ];
  return [
    ...panels.flatMap((panel, at) =>
      [...panelProblems(panel), ...valueProblems(panel, variables)].map((problem) => within(`panels.${at}`, problem)),
    ),
    ...repeated(panels.map(({ id }) => id)).map((id) => ({ path: 'panels', message: `two panels have the id ${id}` })),
    ...variables.flatMap((one, at) => variableProblems(one).map((problem) => within(`variables.${at}`, problem))),
    ...repeated(variables.map(({ name }) => name)).map((name) => ({
      path: 'variables',
      message: `two variables have the name ${name}`,
    })),
  ];
}

function within(path: string, problem: Problem): Problem {
  return { path: `${path}.${problem.path}`, message: problem.message };
}

const needed: Readonly<Partial<Record<PanelType, keyof DashboardPanel>>> = {
  ...Object.fromEntries(queryPanelTypes.map((type) => [type, 'query'])),
  text: 'text',
  slo: 'slo',
  flag_rollout: 'flag',
  experiment: 'experiment',
};

/** A flame graph has one root, and no room for variants. */
const canSplit: ReadonlySet<PanelType> = new Set(queryPanelTypes.filter((type) => type !== 'flame_graph'));

function panelProblems(panel: DashboardPanel): Problem[] {
  const need = needed[panel.type];
  return [
    ...(panel.x + panel.w > dashboardColumns
      ? [{ path: 'w', message: `the panel ends right of column ${dashboardColumns}: make x or w smaller` }]
      : []),
    ...(need !== undefined && panel[need] === undefined
      ? [{ path: need, message: `a panel of the type ${panel.type} needs ${need}` }]
      : []),
    ...(panel.min !== undefined && panel.max !== undefined && panel.min >= panel.max
      ? [{ path: 'max', message: 'must be greater than min' }]
      : []),
    ...(panel.more_queries !== undefined && panel.query_language !== 'promql'
      ? [{ path: 'more_queries', message: 'only a panel with query_language promql has several queries' }]
      : []),
    ...(panel.split !== undefined && !canSplit.has(panel.type)
      ? [{ path: 'split', message: `a panel of the type ${panel.type} cannot be split by a flag` }]
      : []),
  ];
}

/** Where panels read is the same for all panels of a request. */
function valueProblems({ repeat, variables = {} }: DashboardPanel, definitions: Checked['variables']): Problem[] {
  const places = new Set(
    definitions.filter(({ type }) => type === 'project' || type === 'environment').map(({ name }) => name),
  );
  const isPlace = Object.keys(variables).some((name) => places.has(name));
  const message = 'a single panel cannot set or repeat by a variable of the type project or environment';
  return [
    ...(repeat !== undefined && places.has(repeat.variable) ? [{ path: 'repeat', message }] : []),
    ...(isPlace ? [{ path: 'variables', message }] : []),
  ];
}

const durationForm = /^[1-9]\d{0,5}(s|m|h|d|w)$/;

function variableProblems({ type, query, values, multi, default: otherwise }: DashboardVariable): Problem[] {
  const isPlace = type === 'project' || type === 'environment';
  return [
    ...(type === 'query' && query === undefined
      ? [{ path: 'query', message: 'a variable of the type query needs query' }]
      : []),
    ...((type === 'list' || type === 'interval') && (values ?? []).length === 0
      ? [{ path: 'values', message: `a variable of the type ${type} needs values` }]
      : []),
    ...(type === 'interval' && !(values ?? []).every((value) => durationForm.test(String(value)))
      ? [{ path: 'values', message: 'must be durations such as 1m or 5m' }]
      : []),
    ...((isPlace || type === 'interval' || type === 'text') && multi
      ? [{ path: 'multi', message: `a variable of the type ${type} has one value` }]
      : []),
    ...(Array.isArray(otherwise) && !multi ? [{ path: 'default', message: 'several values need multi' }] : []),
  ];
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/**
 * Queries of variables that need each other have no answer.
 * @param uses the names that the query of each variable uses, by its name
 */
export function loopProblems(uses: ReadonlyMap<string, readonly string[]>): Problem[] {
  const settled = new Set<string>();
  const loopFrom = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (settled.has(name)) return undefined;
    for (const used of uses.get(name) ?? []) {
      const loop = uses.has(used) ? loopFrom(used, [...path, name]) : undefined;
      if (loop) return loop;
    }
    settled.add(name);
    return undefined;
  };
  for (const name of uses.keys()) {
    const loop = loopFrom(name, []);
    if (loop) return [{ path: 'variables', message: `variables need each other in a loop: ${loop.join(' → ')}` }];
  }
  return [];
}
