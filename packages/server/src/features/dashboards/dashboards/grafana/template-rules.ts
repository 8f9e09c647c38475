/** A query of a panel in OQL, with what is not the same; or why it has no equal. */
export type Translated = { readonly query: string; readonly losses: readonly string[] } | { readonly problem: string };

const variable = String.raw`\$(?:\{([A-Za-z_]\w*)(?::\w+)?\}|([A-Za-z_]\w*))`;

/** The variable that a text or pattern consists of, such as `$name` and `^(${name:regex})$`; undefined if there is more. */
export function wholeVariable(text: string): string | undefined {
  const [, braced, bare] = new RegExp(`^\\^?\\(?${variable}\\)?\\$?$`).exec(text) ?? [];
  return braced ?? bare;
}

/** The names of the variables that a text uses. */
export function namedVariables(text: string): string[] {
  return [...text.matchAll(new RegExp(variable, 'g'))].map(([, braced, bare]) => braced ?? bare ?? '');
}

/** Quoted texts that name variables: a whole one becomes the variable, a part of one stays within the text. */
export function withVariables(query: string, variables: ReadonlySet<string>): string {
  return query.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    const [, braced, bare] = new RegExp(`^"${variable}"$`).exec(quoted) ?? [];
    const whole = braced ?? bare;
    if (whole !== undefined && variables.has(whole)) return `$${whole}`;
    return quoted.replace(new RegExp(variable, 'g'), (written, inBraces?: string, alone?: string) => {
      const name = inBraces ?? alone ?? '';
      return variables.has(name) ? `\${${name}}` : written;
    });
  });
}
