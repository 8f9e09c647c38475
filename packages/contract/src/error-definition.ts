/** Blocks of codes, by their first digit: the headings of the list of errors. A code outside of them does not compile. */
export const errorBlocks = {
  1: 'Protocol',
  2: 'Identity',
  3: 'Access',
  4: 'Flags',
  5: 'Telemetry',
  6: 'Workspace resources',
  7: 'Alerting, SLOs, dashboards and experiments',
} as const;
type ErrorCode = `SVC-${keyof typeof errorBlocks}${number}`;

/** Every error that the API returns. A code is assigned once and never changes its meaning: clients match on it. */
export interface ErrorDefinition {
  readonly code: ErrorCode;
  readonly status: number;
  /** Text for people; `parameters` come from the code that fails. */
  readonly message: (parameters: Readonly<Record<string, string | number>>) => string;
}

/** A table of errors with the names as keys; `{name}` in a message is replaced by the parameter `name`. */
export function defineErrors<const T extends Record<string, { code: ErrorCode; status: number; message: string }>>(
  table: T,
) {
  const entries = Object.entries(table).map(([name, { code, status, message }]) => [
    name,
    {
      code,
      status,
      message: (p: Readonly<Record<string, string | number>>) =>
        message.replace(/\{(\w+)\}/g, (whole, key: string) => String(p[key] ?? whole)),
    },
  ]);
  return Object.fromEntries(entries) as { readonly [K in keyof T]: ErrorDefinition };
}
