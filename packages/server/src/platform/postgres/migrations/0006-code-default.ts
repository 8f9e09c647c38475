/** A flag may have no off variant; then the default in the caller's code applies. */
export const codeDefault0006 = {
  id: 6,
  name: 'code-default',
  statements: [`ALTER TABLE flags ALTER COLUMN off_variant DROP NOT NULL`],
} as const;
