import type { QueryLanguage } from '@fanion/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import { isListed, type PlacedFilter } from '../../identity/projects/index.ts';
import { type Created, created, ResourceTable } from '../../identity/resources/index.ts';

export type SavedQueryRow = Created<'saved_queries'> & { readonly project: string | null };

/** Queries of a removed project are removed with it. */
function savedQueriesOfProjects(db: Executor) {
  return created(db, 'saved_queries')
    .leftJoin('projects as p', 'p.id', 'r.project_id')
    .select('p.key as project')
    .where((eb) => eb.or([eb('r.project_id', 'is', null), eb('p.deleted_at', 'is', null)]));
}

export interface SavedQueryValues {
  readonly name: string;
  readonly description: string;
  readonly query: string;
  readonly query_language: QueryLanguage;
  readonly window_from: string | null;
  readonly window_to: string | null;
  readonly environment: string | null;
  readonly tags: readonly string[];
}

export const savedQueries = new ResourceTable<SavedQueryRow, SavedQueryValues>('saved_queries', {
  owner: 'workspace_id',
  json: [],
  rows: savedQueriesOfProjects,
});

export function isListedQuery(filter: PlacedFilter, tag: string | undefined): RawBuilder<boolean> {
  const isTagged = tag === undefined ? sql`TRUE` : sql`${tag} = ANY(r.tags)`;
  return sql`${isListed(filter, sql`r.description || ' ' || r.query`)} AND ${isTagged}`;
}
