import type { QueryLanguage } from '@fanion/contract';
import type { ProjectRef } from '../../../http/caller.ts';
import { dateOf } from '../../../platform/clock.ts';
import { type Gateway, invalidQuery } from '../../../platform/gateway/index.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import {
  createResource,
  newRow,
  presentCreation,
  type Resource,
  removeResource,
  type Writer,
} from '../../identity/resources/index.ts';
import { parseQuery } from '../../telemetry/promql/index.ts';
import { type SavedQueryRow, type SavedQueryValues, savedQueries } from './store.ts';

const maxSavedQueries = 5_000;

export interface SavedQueryInput {
  readonly name: string;
  readonly description: string;
  readonly query: string;
  readonly query_language: QueryLanguage;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tags: readonly string[];
}
interface Narrowed {
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}

export interface SavedQueryDependencies extends Pick<FeatureDependencies, 'db' | 'clock'> {
  readonly gateway: Pick<Gateway, 'compiler'>;
}

const resource: Resource<SavedQueryRow, SavedQueryValues> = {
  noun: 'saved query',
  plural: 'saved queries',
  type: 'saved_query',
  area: 'saved_queries',
  table: savedQueries,
  shown: ({ name, description, query, query_language, window_from: from, window_to: to, environment, tags }) => ({
    name,
    description,
    query,
    query_language,
    from,
    to,
    environment,
    tags,
  }),
};

/** Throws `OQL_INVALID` or `PROMQL_INVALID` for an invalid query, and `WINDOW_INVALID`. */
export async function create(
  { db, clock, gateway }: SavedQueryDependencies,
  writer: Writer & { readonly signal: AbortSignal },
  { project, environment }: Narrowed,
  input: SavedQueryInput,
): Promise<SavedQueryRow> {
  await check(gateway, writer, input);
  const first = newRow(writer, clock);
  parseWindow(input, first.created_at.getTime());
  const { name, description, query, query_language, from = null, to = null } = input;
  const row = {
    ...first,
    ...{ project_id: project?.id ?? null, environment: environment ?? null },
    ...{ name, description, query, query_language, window_from: from, window_to: to, tags: [...new Set(input.tags)] },
  };
  return createResource(db, resource, writer, row, { limit: maxSavedQueries });
}

async function check(
  { compiler }: Pick<Gateway, 'compiler'>,
  { workspace, signal }: Writer & { readonly signal: AbortSignal },
  { query, query_language }: Pick<SavedQueryInput, 'query' | 'query_language'>,
): Promise<void> {
  if (query_language === 'promql') return void parseQuery(query);
  // A long text is checked in a thread: here it would hold up everybody for a quarter of a second.
  const { valid, diagnostics } = await compiler.validate(query, {}, { workspace: workspace.number, signal });
  if (!valid) throw invalidQuery(diagnostics);
}

export async function remove(
  { db, clock }: Pick<SavedQueryDependencies, 'db' | 'clock'>,
  writer: Writer,
  id: string,
): Promise<undefined> {
  return removeResource(db, resource, writer, { id, now: dateOf(clock) });
}

export function present(row: SavedQueryRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    query: row.query,
    query_language: row.query_language,
    from: row.window_from,
    to: row.window_to,
    project: row.project,
    environment: row.environment,
    tags: row.tags,
    ...presentCreation(row),
  };
}
