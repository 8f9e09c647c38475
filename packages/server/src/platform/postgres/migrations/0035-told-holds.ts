/** Channels hear once in a step of each thing that holds it. */
export const toldHolds0035 = {
  id: 35,
  name: 'told-holds',
  statements: [`ALTER TABLE guarded_releases ADD COLUMN told_holds text[] NOT NULL DEFAULT '{}'`],
} as const;
