import { printString } from '@fanion/oql';
import { fieldLabels, isStreamKey, labelName, unknownLevel, unknownService } from './line-rules.ts';
import type { LabelFilter, LineFilter, LogQuery, Matcher, Stage } from './logql/ast.ts';
import { literally, partsPattern, wholePattern } from './pattern-rules.ts';

/** A key of an attribute that log records of a window have. */
export interface KnownKey {
  readonly scope: 'resource' | 'attribute';
  readonly key: string;
}

/** Undefined where OQL has no name for the key. */
function pathOf({ scope, key }: KnownKey): string | undefined {
  const segments = key.split('.');
  if (segments.some((segment) => segment === '' || /[`\p{Cc}]/u.test(segment))) return undefined;
  return [scope === 'resource' ? 'resource' : 'attr', ...segments.map((segment) => `\`${segment}\``)].join('.');
}

const level = `if(severity_number == 0, ${printString(unknownLevel)}, string(severity))`;

/** The text of a label in OQL, never null; in the order of `lineOf`. Undefined where OQL has no name for a part of it. */
export function labelExpression(label: string, keys: readonly KnownKey[]): string | undefined {
  if (label === 'service_name') return `if(service.name == "", ${printString(unknownService)}, service.name)`;
  const named = keys.filter(({ key }) => labelName(key) === label);
  const ofStream = named.filter(({ scope, key }) => scope === 'resource' && isStreamKey(key));
  const others = named.filter((one) => !ofStream.includes(one)).toSorted((a, b) => (a.scope < b.scope ? 1 : -1));
  const own = Object.hasOwn(fieldLabels, label) ? fieldLabels[label] : label === 'detected_level' ? level : undefined;
  const paths = [...ofStream.map(pathOf), ...(own === undefined ? [] : [own]), ...others.map(pathOf)];
  if (paths.includes(undefined)) return undefined;
  return paths.length === 0 ? '""' : `coalesce(${paths.map((path) => `string(${path})`).join(', ')}, "")`;
}

/** A condition of OQL; undefined where it cannot be one. */
export function matcherCondition({ name, op, value }: Matcher, keys: readonly KnownKey[]): string | undefined {
  if (name === 'service_name' && op === '=' && value !== '' && value !== unknownService)
    return `service.name == ${printString(value)}`;
  const text = labelExpression(name, keys);
  if (text === undefined) return undefined;
  if (op === '=' || op === '!=') return `${text} ${op === '=' ? '==' : '!='} ${printString(value)}`;
  return `${text} ${op} ${printString(wholePattern(value))}`;
}

function lineCondition({ op, texts, ranges }: LineFilter): string | undefined {
  if (op === '|>' || op === '!>' || ranges.length > 0) return undefined;
  // A dot of Go does not match a line break, one of the store does.
  const patternOf = (text: string) => (op === '|=' || op === '!=' ? literally(text) : `(?-s)${text}`);
  const any = anyIn(texts.map(patternOf));
  return op.startsWith('!') ? `not (${any})` : `(${any})`;
}

function anyIn(patterns: readonly string[]): string {
  return patterns.map((pattern) => `body =~ ${printString(pattern)}`).join(' or ');
}

/** What every line has that a stage keeps, where the store cannot decide the stage itself. */
function neededBy(stage: Stage | undefined): string[] {
  if (stage?.kind !== 'line_filter' || stage.op !== '|>') return [];
  return [`(${anyIn(stage.texts.map(partsPattern))})`];
}

function filterCondition(filter: LabelFilter, keys: readonly KnownKey[]): string | undefined {
  if (filter.kind === 'text') return matcherCondition(filter.matcher, keys);
  if (filter.kind !== 'and' && filter.kind !== 'or') return undefined;
  const [left, right] = [filterCondition(filter.left, keys), filterCondition(filter.right, keys)];
  return left !== undefined && right !== undefined ? `(${left} ${filter.kind} ${right})` : undefined;
}

/** What the store decides, and the stages that are left for each line it returns. */
export interface Pushed {
  readonly conditions: readonly string[];
  /** Matchers that the store cannot decide. */
  readonly matchers: readonly Matcher[];
  readonly stages: readonly Stage[];
}

/** Conditions before the first stage that changes a line go to the store. Errors of lines begin with parsers, so none is lost. */
export function pushDown({ matchers, stages }: LogQuery, keys: readonly KnownKey[]): Pushed {
  const conditions: string[] = [];
  const left: Matcher[] = [];
  for (const matcher of matchers) {
    const condition = matcherCondition(matcher, keys);
    if (condition === undefined) left.push(matcher);
    else conditions.push(condition);
  }
  let at = 0;
  for (; at < stages.length; at++) {
    const condition = stageCondition(stages[at], keys);
    if (condition === undefined) break;
    conditions.push(condition);
  }
  conditions.push(...neededBy(stages[at]));
  return { conditions, matchers: left, stages: stages.slice(at) };
}

function stageCondition(stage: Stage | undefined, keys: readonly KnownKey[]): string | undefined {
  if (stage?.kind === 'line_filter') return lineCondition(stage);
  return stage?.kind === 'label_filter' ? filterCondition(stage.filter, keys) : undefined;
}

/** Labels whose keys must be known before conditions are written. */
export function labelsNamed({ matchers, stages }: LogQuery): readonly string[] {
  const names = new Set(matchers.map(({ name }) => name));
  const visit = (filter: LabelFilter): void => {
    if (filter.kind === 'text') names.add(filter.matcher.name);
    else if (filter.kind === 'and' || filter.kind === 'or') {
      visit(filter.left);
      visit(filter.right);
    }
  };
  for (const stage of stages) if (stage.kind === 'label_filter') visit(stage.filter);
  return [...names];
}
