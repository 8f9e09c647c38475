/**
 * Guards have three verdicts. Looks of before said `no_regression` where no harm was proven, which is `not_sure` now; and their releases hold
 * until each guard has decided.
 */
const names = [
  ['no_regression', 'not_sure'],
  ['too_few_data', 'not_sure'],
  ['regression', 'harm'],
] as const;
const renamed = (column: string) => {
  const text = names.reduce(
    (of, [from, to]) => `replace(${of}, '"verdict": "${from}"', '"verdict": "${to}"')`,
    `${column}::text`,
  );
  return `${column} = (${text})::jsonb`;
};

export const threeVerdicts0033 = {
  id: 33,
  name: 'three-verdicts',
  statements: [
    `ALTER TABLE guarded_releases ADD COLUMN unsure_since timestamptz, ADD COLUMN asked_at timestamptz`,
    `UPDATE guarded_releases SET definition = definition || '{"when_unsure": "hold", "hold_at_most": "7d"}'::jsonb`,
    `UPDATE guarded_releases SET ${renamed('last_look')} WHERE last_look IS NOT NULL`,
    `UPDATE guarded_release_events SET ${renamed('numbers')} WHERE numbers IS NOT NULL`,
  ],
} as const;
