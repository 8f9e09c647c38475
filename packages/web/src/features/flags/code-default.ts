/** The choice "serve no variant; the caller's code default applies". The space keeps it distinct from every variant key. */
export const CODE_DEFAULT = { value: ' code-default', label: 'the code default' };

/** The choice in the form that targeting uses: null for the code default. */
export function variantOf(chosen: string): string | null {
  return chosen === CODE_DEFAULT.value ? null : chosen;
}
