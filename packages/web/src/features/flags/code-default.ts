/** The choice "nothing is served, and the default in the caller's code holds". No variant's key has a space. */
export const CODE_DEFAULT = { value: ' code-default', label: 'the code default' };

/** What was chosen, as targeting has it: null for the code default. */
export function variantOf(chosen: string): string | null {
  return chosen === CODE_DEFAULT.value ? null : chosen;
}
