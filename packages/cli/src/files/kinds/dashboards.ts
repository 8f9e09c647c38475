import { basename } from 'node:path';
import {
  createDashboard,
  type Dashboard,
  DashboardModel,
  DashboardPanel,
  DashboardTime,
  DashboardVariable,
  getDashboard,
  Key,
  listDashboards,
  removeDashboard,
  replaceDashboard,
} from '@fanion/contract';
import { z } from 'zod';
import type { Connection } from '../connect.ts';
import { withoutDefaults } from '../defaults.ts';
import type { Source } from '../documents.ts';
import { type Context, defineKind, NotDone, type Problem } from '../kind.ts';
import { listAll } from '../list-all.ts';
import { type PanelNames, readExperimentKeys, readSloNames } from '../panel-names.ts';

const Named = z.string().trim().min(1).max(200);
const PanelDocument = DashboardPanel.extend({ slo: Named.optional(), experiment: Named.optional() });

/** A dashboard in a file: as it is exported from the page, with SLOs by name and experiments by key. */
export const DashboardDocument = DashboardModel.extend({
  panels: z.array(PanelDocument).max(1_000),
  environment: Key.optional(),
});
export type DashboardDocument = z.output<typeof DashboardDocument>;

const folder = 'dashboards';
/** Where a dashboard comes from, the same on each machine. */
const sourceOf = ({ where }: Source) => `${folder}/${basename(where)}`;

interface Names {
  readonly slos: PanelNames;
  readonly experiments: PanelNames;
}

async function namesFor(connection: Connection, panels: readonly { slo?: unknown; experiment?: unknown }[]) {
  const none: PanelNames = { idsOf: () => [], nameOf: (id) => id };
  return {
    slos: panels.some(({ slo }) => slo !== undefined) ? await readSloNames(connection) : none,
    experiments: panels.some(({ experiment }) => experiment !== undefined)
      ? await readExperimentKeys(connection)
      : none,
  };
}

export const dashboards = defineKind<DashboardDocument>({
  folder,
  noun: 'dashboard',
  schema: DashboardDocument,
  placeOf: ({ environment }) => environment,
  async check({ panels }, _, { connection, plannedNames }) {
    const names = await namesFor(connection, panels);
    return [...repeatedIds(panels), ...unknownNames(panels, names, plannedNames)];
  },

  async list({ connection }) {
    const { client, scope } = connection;
    const params = { ws: scope.ws };
    const all = await listAll((page) => client.call(listDashboards, { params, query: { ...page, project: scope.p } }));
    const full: Dashboard[] = [];
    for (const { id } of all) full.push((await client.call(getDashboard, { params: { ...params, id } })).data);
    const names = await namesFor(
      connection,
      full.flatMap(({ panels }) => panels),
    );
    return full.map((one) => {
      const { id, version, source } = one;
      return { id, version, source, document: documentOf(one, names) };
    });
  },

  fileOf({ panels, variables, time, ...document }) {
    const { name, ...rest } = withoutDefaults(DashboardDocument, document) as Readonly<Record<string, unknown>>;
    const window = withoutDefaults(DashboardTime, time);
    return {
      name,
      ...rest,
      ...(Object.keys(window).length > 0 && { time: window }),
      ...(variables.length > 0 && { variables: variables.map((one) => withoutDefaults(DashboardVariable, one)) }),
      panels: panels.map((panel) => withoutDefaults(PanelDocument, panel)),
    };
  },

  also(_, { source = null }, __, file) {
    return source === sourceOf(file) ? [] : [`source: ${source ?? '(changed in the page)'} → ${sourceOf(file)}`];
  },

  async create(document, context, file) {
    const { client, scope } = context.connection;
    const { environment, ...model } = await modelOf(document, context);
    const source = sourceOf(file);
    const body = { ...model, ...(environment !== undefined && { environment }), project: scope.p, source };
    await client.call(createDashboard, { params: { ws: scope.ws }, body: { ...body, comment: `From ${source}` } });
  },

  async update({ id, version }, document, context, file) {
    const { client, scope } = context.connection;
    const { environment: _, ...model } = await modelOf(document, context);
    const source = sourceOf(file);
    const body = { ...model, version, source, comment: `From ${source}` };
    await client.call(replaceDashboard, { params: { ws: scope.ws, id }, body });
  },

  async remove({ id, source }, { connection: { client, scope } }) {
    const query = source == null ? {} : { source };
    await client.call(removeDashboard, { params: { ws: scope.ws, id }, query });
  },

  async versionOf({ id }, { connection: { client, scope } }) {
    return (await client.call(getDashboard, { params: { ws: scope.ws, id } })).data.version;
  },
});

function repeatedIds(panels: DashboardDocument['panels']): Problem[] {
  const seen = new Set<string>();
  return panels.flatMap(({ id }, at) => {
    if (seen.has(id)) return [{ path: ['panels', at, 'id'], message: `another panel has the id ${id}` }];
    seen.add(id);
    return [];
  });
}

function unknownNames(
  panels: DashboardDocument['panels'],
  { slos, experiments }: Names,
  plannedNames: Context['plannedNames'],
): Problem[] {
  const planned = { slos: plannedNames('slos'), experiments: plannedNames('experiments') };
  const problem = (at: number, field: string, noun: string, name: string, found: number): Problem[] => {
    if (found === 1) return [];
    const message =
      found === 0 ? `no ${noun} is called ${name}` : `several are called ${name}: name the ${noun} by its id`;
    return [{ path: ['panels', at, field], message }];
  };
  return panels.flatMap(({ slo, experiment }, at) => [
    ...(slo === undefined || planned.slos.has(slo) ? [] : problem(at, 'slo', 'SLO', slo, slos.idsOf(slo).length)),
    ...(experiment === undefined || planned.experiments.has(experiment)
      ? []
      : problem(at, 'experiment', 'experiment', experiment, experiments.idsOf(experiment).length)),
  ]);
}

function documentOf(dashboard: Dashboard, { slos, experiments }: Names): DashboardDocument {
  const { schema_version, name, description, tags, variables, links, time, environment } = dashboard;
  return DashboardDocument.parse({
    ...{ schema_version, name, description, tags, variables, links, time },
    panels: dashboard.panels.map((panel) => ({
      ...panel,
      ...(panel.slo !== undefined && { slo: slos.nameOf(panel.slo) }),
      ...(panel.experiment !== undefined && { experiment: experiments.nameOf(panel.experiment) }),
    })),
    ...(environment !== null && { environment }),
  });
}

/** The document with ids. SLOs of the same run exist by now. */
async function modelOf(document: DashboardDocument, { connection }: Context) {
  const names = await namesFor(connection, document.panels);
  const panels = document.panels.map(({ slo, experiment, ...panel }) => ({
    ...panel,
    ...(slo !== undefined && { slo: theOnly(names.slos, slo, 'SLO') }),
    ...(experiment !== undefined && { experiment: theOnly(names.experiments, experiment, 'experiment') }),
  }));
  return { ...document, panels };
}

/** @throws NotDone */
function theOnly(names: PanelNames, name: string, noun: string): string {
  const [id, ...others] = names.idsOf(name);
  if (id === undefined || others.length > 0) throw new NotDone(`not exactly one ${noun} is called ${name}`);
  return id;
}
