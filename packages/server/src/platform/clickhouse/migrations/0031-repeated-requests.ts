/** Requests that were stored before. */
export const repeatedRequests0031 = {
  id: 31,
  name: 'repeated-requests',
  statements: [
    `ALTER TABLE ingest_refusals MODIFY COLUMN kind Enum8('rejected' = 1, 'quarantined' = 2, 'dropped' = 3, 'refused' = 4, 'repeated' = 5)`,
  ],
} as const;
