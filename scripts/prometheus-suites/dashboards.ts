import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type DashboardModel, type DashboardPanel, type DashboardVariable, queryPanelTypes } from '@fanion/contract';
import { PromqlError, parsePromql } from '@fanion/promql';
import { classicOf, listOf } from '../../packages/server/src/features/dashboards/dashboards/grafana/classic-rules.ts';
import { bindPromql, optionsQuery } from '../../packages/server/src/features/dashboards/dashboards/promql-rules.ts';
import { boundVariables } from '../../packages/server/src/features/dashboards/dashboards/variable-rules.ts';
import { countSamples, differenceOf } from './compare.ts';
import { needsOf } from './needs.ts';
import { ask, eachOf, send } from './peers.ts';
import type { Peers } from './rules.ts';
import type { Day } from './samples.ts';
import { worldOf } from './world.ts';

/** What was seen of one dashboard. */
export interface DashboardFacts {
  readonly suite: string;
  panels: number;
  keptPanels: number;
  /** Visible queries in the file, and those that answered after the import. */
  targets: number;
  answered: number;
  withSamples: number;
  equal: number;
  samples: number;
  variables: number;
  keptVariables: number;
  readonly misses: string[];
}

/** Numbers are compared at each of these. */
const stepMs = 600_000;

interface Imported {
  readonly model: DashboardModel;
  readonly values: Readonly<Record<string, string>>;
  readonly queries: ReadonlyMap<string, string>;
  readonly facts: DashboardFacts;
}

/** Imports dashboards, asks their panels over the day, and compares the answer of each query. */
export async function runDashboards(files: readonly string[], peers: Peers, day: Day): Promise<DashboardFacts[]> {
  const imported: Imported[] = [];
  for (const file of files) imported.push(await importOf(file, peers, day));
  const texts = new Set(imported.flatMap(({ queries }) => [...queries.values()]));
  const needs = needsOf([...texts].flatMap(parsed));
  const world = worldOf(needs.values(), day);
  console.error(`dashboards: ${world.length} series of ${needs.size} metrics, ${texts.size} queries`);
  await Promise.all([send(peers.prometheus, world), send(peers.fanion, world)]);
  for (const one of imported) {
    await checkVariables(one, peers, day);
    await checkPanels(one, peers, day);
  }
  return imported.map(({ facts }) => facts);
}

function parsed(text: string) {
  try {
    return [parsePromql(text)];
  } catch (error) {
    if (error instanceof PromqlError) return [];
    throw error;
  }
}

async function importOf(file: string, { owner }: Peers, day: Day): Promise<Imported> {
  const json: unknown = JSON.parse(await readFile(file, 'utf8'));
  const { status, data, text } = await owner.post(`${owner.workspace}/dashboards/convert`, { grafana: json });
  if (status !== 200) throw new Error(`${file}: ${text}`);
  const { model, report }: { model: DashboardModel; report: Line[] } = data;
  const suite = basename(file);
  const of = (what: string) => report.filter((line) => line.what === what);
  const targets = targetsIn(json);
  const facts: DashboardFacts = {
    ...{ suite, targets, panels: of('panel').length, keptPanels: of('panel').filter(({ kept }) => kept).length },
    ...{ variables: of('variable').length, keptVariables: of('variable').filter(({ kept }) => kept).length },
    ...{ answered: 0, withSamples: 0, equal: 0, samples: 0 },
    misses: report
      .filter(({ losses }) => losses.some((loss) => /quer(y|ies)|pattern|variable|no panel/.test(loss)))
      .map(({ what, name, losses }) => `${suite}: ${what} ${name}: ${losses.join('; ')}`),
  };
  const values = valuesOf(model.variables);
  return { model, values, queries: queriesOf(model, values, day, facts), facts };
}

interface Line {
  readonly what: string;
  readonly name: string;
  readonly kept: boolean;
  readonly losses: readonly string[];
}

function targetsIn(json: unknown): number {
  const classic = classicOf(json);
  if ('problem' in classic) throw new Error(classic.problem);
  let count = 0;
  for (const { fields } of classic.panels) {
    // Editors leave an empty query in some rows, which nothing asks.
    if (fields.type === 'row') continue;
    count += listOf(fields.targets).filter(({ hide }) => hide !== true).length;
  }
  return count;
}

/** Values that the made-up series have. A pattern leaves the part of an instance before its port. */
function valuesOf(variables: readonly DashboardVariable[]): Record<string, string> {
  const usual: Readonly<Record<string, string>> = {
    ...{ job: 'node', nodename: 'node-0', port: '9100', view: 'view-0', interval: '5m' },
    ...{ backend: 'proxy-0', frontend: 'proxy-0', server: 'server-0', code: 'code-0' },
  };
  return Object.fromEntries(
    variables.map(({ name, query = '' }) => {
      const isPart = query.includes('label_replace');
      return [name, usual[name] ?? (isPart ? 'node-0' : 'node-0:9100')];
    }),
  );
}

const withQuery: ReadonlySet<string> = new Set(queryPanelTypes);

/** Each query of the panels and variables, with values in place of variables, by where it stands. */
function queriesOf(model: DashboardModel, values: Record<string, string>, day: Day, facts: DashboardFacts) {
  const bound = boundVariables(model.variables, values, { rangeMs: day.toMs - day.fromMs, stepMs });
  const found = new Map<string, string>();
  const add = (where: string, text: string) => {
    const written = bindPromql(text, bound);
    if (typeof written === 'string') found.set(where, written);
    else facts.misses.push(`${facts.suite}: ${where}: ${written.message}`);
  };
  for (const { name, query, query_language } of model.variables)
    if (query !== undefined && query_language === 'promql') add(`variable ${name}`, optionsQuery(query));
  for (const panel of model.panels)
    textsOf(panel).forEach((text, at) => {
      add(`panel ${panel.id} ${panel.title}, query ${at + 1}`, text);
    });
  return found;
}

function textsOf({ type, query, query_language, more_queries = [] }: DashboardPanel): string[] {
  if (!withQuery.has(type) || query === undefined || query_language !== 'promql') return [];
  return [query, ...more_queries.map((one) => one.query)];
}

async function checkVariables({ model, values, facts }: Imported, { owner }: Peers, day: Day): Promise<void> {
  const definitions = model.variables;
  const window = { from: new Date(day.fromMs).toISOString(), to: new Date(day.toMs).toISOString() };
  const body = { definitions, variables: values, project: 'default', ...window };
  const { status, data, text } = await owner.post(`${owner.workspace}/dashboards/variables`, body);
  if (status !== 200) throw new Error(text);
  for (const { name, options, error } of data.variables) {
    if (error === null && (options.length === 0 || options.map(String).includes(values[name] ?? ''))) continue;
    facts.misses.push(
      `${facts.suite}: variable ${name}: ${error?.message ?? `${values[name]} is not among ${options}`}`,
    );
  }
}

async function checkPanels({ model, values, queries, facts }: Imported, peers: Peers, day: Day): Promise<void> {
  const { owner } = peers;
  const window = { from: new Date(day.fromMs).toISOString(), to: new Date(day.toMs).toISOString() };
  const { variables: definitions, panels } = model;
  const body = { panels, definitions, variables: values, project: 'default', ...window };
  const { status, text } = await owner.post(`${owner.workspace}/dashboards/preview`, body);
  if (status !== 200) throw new Error(text);
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const failed = new Map(lines.flatMap(({ panel, error }) => (error === undefined ? [] : [[panel, error.message]])));
  for (const [panel, message] of failed) facts.misses.push(`${facts.suite}: panel ${panel}: ${message}`);
  await eachOf([...queries], async ([where, query]) => {
    const range = { fromMs: day.fromMs, toMs: day.toMs, stepMs };
    const [prometheus, fanion] = await Promise.all([
      ask(peers.prometheus, query, range),
      ask(peers.fanion, query, range),
    ]);
    const difference = differenceOf(prometheus, fanion);
    if (process.env.SUITES_VERBOSE) console.error(new Date().toISOString(), facts.suite, where, difference ?? 'equal');
    if (difference !== undefined) facts.misses.push(`${facts.suite}: ${where}: ${difference}`);
    const [, panel] = /^panel (\S+)/.exec(where) ?? [];
    if (panel === undefined) return;
    if (typeof fanion !== 'string' && !failed.has(panel)) facts.answered++;
    if (countSamples(fanion) > 0) facts.withSamples++;
    if (difference === undefined) facts.equal++;
    facts.samples += countSamples(prometheus);
  });
}
