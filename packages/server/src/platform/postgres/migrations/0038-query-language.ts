/** The language of saved queries, which were in OQL before, and of runs: NULL of older ones and of other languages. */
export const queryLanguage0038 = {
  id: 38,
  name: 'query-language',
  statements: [
    `ALTER TABLE saved_queries ADD COLUMN query_language text NOT NULL DEFAULT 'oql'`,
    'ALTER TABLE query_runs ADD COLUMN query_language text',
  ],
} as const;
