/** A flag may have no off variant: the default in the caller's code then holds. */
export const codeDefault0006 = {
  id: 6,
  name: 'code-default',
  statements: [`ALTER TABLE flags ALTER COLUMN off_variant DROP NOT NULL`],
} as const;
