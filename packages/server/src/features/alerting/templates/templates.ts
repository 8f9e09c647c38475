import { Liquid, type Template } from 'liquidjs';

/** What a template can use. */
export interface TemplateData {
  readonly labels: Readonly<Record<string, string>>;
  /** null: there is no value. */
  readonly value: number | null;
  readonly rule: { readonly id: string; readonly name: string; readonly runbook_url: string | null };
  /** The annotations of the rule, as they are written. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: 'firing' | 'resolved';
  /** RFC 3339. */
  readonly starts_at: string;
}

/** Twice the longest annotation. */
const maxTemplate = 8_192;
/** The longest text that a template may produce. */
const maxOutput = 65_536;
/**
 * Of one rendering, in milliseconds: the server does nothing else meanwhile. What people write takes less than one; the
 * rest is room for a machine that is busy.
 */
const renderMs = 40;
/** Characters and items that one rendering may make on its way. */
const maxMemory = 100_000;
const maxCached = 1_000;

/**
 * Enough for a line of text about an alert. The others read files or the clock, run regular expressions over the text, or
 * keep state; `capture` could double a text without being counted.
 */
const tags = new Set(['assign', 'break', 'case', 'comment', 'continue', 'echo', 'for', 'if', 'raw', 'unless', '#']);
const filters = new Set([
  ...['abs', 'at_least', 'at_most', 'ceil', 'divided_by', 'floor', 'minus', 'modulo', 'plus', 'round', 'times'],
  ...['append', 'capitalize', 'downcase', 'lstrip', 'prepend', 'remove', 'remove_first', 'replace', 'replace_first'],
  ...['rstrip', 'slice', 'split', 'strip', 'truncate', 'upcase', 'url_encode'],
  ...['default', 'first', 'join', 'last', 'reverse', 'size', 'sort', 'uniq'],
]);

const engine = createEngine();
const parsed = new Map<string, Template[]>();

/**
 * Renders a template of a rule. A template that fails gives its own text, with the reason: an alert is better sent with
 * a broken text than not sent.
 */
export function renderTemplate(text: string, data: TemplateData): { readonly text: string; readonly error?: string } {
  try {
    // Most texts have no placeholder.
    if (!text.includes('{{') && !text.includes('{%')) return { text: limited(text) };
    return { text: limited(String(engine.renderSync(parse(text), { ...data }))) };
  } catch (failure) {
    const error = reasonOf(failure);
    return { text: `${text.slice(0, maxOutput - 1_000)} (template error: ${error})`, error };
  }
}

/** Why a template can never be rendered, in words for its author; undefined for one that can. */
export function templateIssue(text: string): string | undefined {
  try {
    const template = parse(text);
    const unknown = engine.globalVariablesSync(template).filter((name) => !Object.hasOwn(example, name));
    if (unknown.length > 0)
      return `unknown name ${unknown[0]}: use ${Object.keys(example).join(', ')}, such as {{ labels["service.name"] }}`;
    engine.renderSync(template, { ...example });
    return undefined;
  } catch (failure) {
    return reasonOf(failure);
  }
}

const example: TemplateData = {
  labels: { alertname: 'Example', 'service.name': 'checkout' },
  value: 0.5,
  rule: { id: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f', name: 'Example', runbook_url: 'https://wiki.example.com' },
  annotations: {},
  status: 'firing',
  starts_at: '2026-11-22T09:30:00.000Z',
};

function createEngine(): Liquid {
  const liquid = new Liquid({
    // No template is ever read from a file.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    parseLimit: maxTemplate,
    renderLimit: renderMs,
    memoryLimit: maxMemory,
  });
  for (const name of Object.keys(liquid.tags)) if (!tags.has(name)) delete liquid.tags[name];
  for (const name of Object.keys(liquid.filters)) if (!filters.has(name)) delete liquid.filters[name];
  return liquid;
}

function parse(text: string): Template[] {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size >= maxCached) parsed.clear();
  const template = engine.parse(text);
  parsed.set(text, template);
  return template;
}

function limited(text: string): string {
  if (text.length > maxOutput) throw new Error(`the text is longer than ${maxOutput} characters`);
  return text;
}

/** Without the lines of the template that the message of the library repeats. */
function reasonOf(failure: unknown): string {
  const message = failure instanceof Error ? failure.message : String(failure);
  return message.split('\n', 1)[0]?.slice(0, 300) ?? '';
}
