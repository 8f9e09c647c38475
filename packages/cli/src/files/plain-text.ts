/** A value in one line; control characters of telemetry cannot steer the terminal. */
export function plainText(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : `${value}`;
  return text.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1).replace('\u007f', '\\u007f'));
}
