import type { Translation } from '@fanion/oql/promql';
import type { PromqlOptions, PromqlResult } from '../../../../platform/gateway/index.ts';

/** An expression to translate. The conversion asks for it, since it takes too long for the main thread. */
export interface PromqlRequest {
  readonly text: string;
  readonly options: PromqlOptions;
}

/** Steps that ask for translations. */
export type Translating<T> = Generator<PromqlRequest | undefined, T, PromqlResult | undefined>;

/** A PromQL expression of a panel as OQL, with what is not the same; or why it has no equal. */
export type Translated = { readonly query: string; readonly losses: readonly string[] } | { readonly problem: string };

const longestExpression = 8_192;
const longestLegend = 8_192;
/** Grafana chooses the range of a rate by the width of the screen; here it is fixed. */
const rateRange = '5m';
const variable = String.raw`\$(?:\{([A-Za-z_]\w*)(?::\w+)?\}|([A-Za-z_]\w*))`;

/**
 * Translates an expression.
 * @param isSeries whether the panel draws it over time, else it shows the last value
 * @param legend labels in a legend such as `{{instance}}` tell which labels are shown
 * @param variables the names of the dashboard's variables
 */
export function* translatedPanel(
  expression: string,
  {
    isSeries,
    legend,
    variables,
  }: { readonly isSeries: boolean; readonly legend: string; readonly variables: ReadonlySet<string> },
): Translating<Translated> {
  if (expression.length > longestExpression)
    return { problem: `the expression is longer than ${longestExpression} characters` };
  if (legend.length > longestLegend) return { problem: `the legend is longer than ${longestLegend} characters` };
  const losses: string[] = [];
  const text = withoutTemplates(expression, variables, losses);
  const unknown = namedVariables(text).find((name) => !variables.has(name));
  if (unknown !== undefined) return { problem: `it uses $${unknown}, which is no variable of the imported dashboard` };
  const shown = [...legend.matchAll(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g)].map(([, name = '']) => name);
  const labels = [...shown, 'instance', 'job'];
  const translation = yield { text, options: { labels, purpose: isSeries ? 'record' : 'alert' } };
  if (translation === undefined) throw new Error('a request for a translation was not answered');
  if ('problem' in translation) return translation;
  if (!isSeries && translation.kind === 'absence')
    return { problem: 'it shows that there is nothing, which is a rule and not a panel' };
  return { query: withVariables(isSeries ? overTime(translation) : atOnce(translation, losses), variables), losses };
}

/** The variable that a text or pattern consists of, such as `$name` and `^(${name:regex})$`; undefined if there is more. */
export function wholeVariable(text: string): string | undefined {
  const [, braced, bare] = new RegExp(`^\\^?\\(?${variable}\\)?\\$?$`).exec(text) ?? [];
  return braced ?? bare;
}

/** The names of the variables that a text uses. */
export function namedVariables(text: string): string[] {
  return [...text.matchAll(new RegExp(variable, 'g'))].map(([, braced, bare]) => braced ?? bare ?? '');
}

/**
 * Ranges that Grafana fills in become fixed ones. A pattern that is one variable becomes a comparison: of several values it
 * means one of them, as Grafana's list of alternatives does.
 */
function withoutTemplates(expression: string, variables: ReadonlySet<string>, losses: string[]): string {
  return expression
    .replace(new RegExp(`\\[\\s*${variable}\\s*([\\]:])`, 'g'), (_, braced?: string, bare?: string, end = ']') => {
      losses.push(`the range $${braced ?? bare ?? ''} is always ${rateRange}`);
      return `[${rateRange}${end}`;
    })
    .replace(
      new RegExp(`(=~|!~|!=|=)\\s*"\\^?\\(?${variable}\\)?\\$?"`, 'g'),
      (written, op: string, braced?: string, bare?: string) => {
        const name = braced ?? bare ?? '';
        if (!variables.has(name)) return written;
        return `${op === '=~' ? '=' : op === '!~' ? '!=' : op}"$${name}"`;
      },
    );
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

/** The same for each step of time: a translation for rules has exactly one grouping. */
function overTime({ query }: Translation): string {
  return query
    .split(' | ')
    .map((stage) => {
      if (!stage.startsWith('stats ')) return stage;
      const keys = / by (.*)$/.exec(stage)?.[1];
      return keys === undefined
        ? `${stage} by bucket(auto)`
        : stage.replace(/ by .*$/, () => ` by ${keys}, bucket(auto)`);
    })
    .join(' | ');
}

/** The last value: a comparison keeps the rows that fulfil it. */
function atOnce({ query, condition, windowSeconds }: Translation, losses: string[]): string {
  if (windowSeconds !== undefined) losses.push('a function over time covers the window of the dashboard');
  return condition === undefined ? query : `${query} | where value ${condition.op} ${condition.threshold}`;
}
