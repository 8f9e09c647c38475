import type { Tree } from '@lezer/common';
import { type Finding, replaceWith } from '../diagnostics/diagnostic.ts';
import { foreignText } from '../foreign/index.ts';
import { nearest } from '../text/distance.ts';
import type { Query, Range } from './ast.ts';
import { buildAst } from './build-ast.ts';
import { firstFailure, strictParser } from './errors.ts';
import { explainFailure } from './explain-failure.ts';
import { checkLimits, scanMarks } from './guard.ts';
import { BYTE_UNITS, DURATION_UNITS, MONTH_UNITS, parseTimestamp } from './literals.ts';
import { printQuery } from './print.ts';

/** Most syntax errors to report; each one costs a parse. */
const MAX_FAILURES = 20;
const STAND_IN = '| x';

export interface Parsed {
  /** Absent if not even the source is known. Stages that do not parse are `broken`. */
  readonly query?: Query;
  readonly findings: readonly Finding[];
}

/** Parses a query. Never throws; finds every syntax error, one per stage. */
export function parse(text: string): Parsed {
  const limit = checkLimits(text);
  if (limit) return { findings: [limit] };
  const tree = tryParse(text);
  if (tree) return { query: buildAst(tree, text), findings: lexicalFindings(tree, text) };
  const foreign = foreignText(text, normalForm);
  return foreign ? { findings: [foreign] } : recover(text);
}

/** The normal form of a text; undefined if it does not parse. */
function normalForm(text: string): string | undefined {
  const tree = tryParse(text);
  return tree && printQuery(buildAst(tree, text));
}

function tryParse(text: string): Tree | undefined {
  try {
    return strictParser.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reports the first error, replaces its stage by a placeholder of the same length, and looks for the next one. */
function recover(text: string): Parsed {
  const findings: Finding[] = [];
  const masked: Range[] = [];
  let current = text;
  for (let round = 0; round < MAX_FAILURES; round++) {
    const failure = firstFailure(current);
    if (failure === undefined) break;
    const finding = explainFailure(current, failure);
    const stage = stageAround(current, Math.min(failure.at, finding.range.start));
    // If replacing the stage did not help, the same error is reported only once.
    if (findings.some(({ range }) => range.start === finding.range.start && range.end === finding.range.end)) break;
    findings.push(stage ? { ...finding, ...stageName(text, stage) } : finding);
    if (
      stage === undefined ||
      stage.end - stage.start < STAND_IN.length ||
      masked.some((mask) => mask.start === stage.start)
    ) {
      return { findings };
    }
    masked.push(stage);
    const standIn = STAND_IN.padEnd(stage.end - stage.start);
    current = current.slice(0, stage.start) + standIn + current.slice(stage.end);
  }
  const tree = tryParse(current);
  if (tree === undefined) return { findings };
  return { query: buildAst(tree, current, masked), findings: [...findings, ...lexicalFindings(tree, current)] };
}

function stageName(text: string, stage: Range): { stage?: string } {
  const word = /^\|\s*([a-z]+)/.exec(text.slice(stage.start, stage.end))?.[1];
  return word === undefined ? {} : { stage: word };
}

/** From the last pipe before an offset to the next pipe or closing bracket of the same depth. */
function stageAround(text: string, at: number): Range | undefined {
  const marks = scanMarks(text);
  let pipe: { at: number; depth: number } | undefined;
  for (const mark of marks) {
    if (mark.at > at) break;
    if (mark.character === '|' && (mark.at < at || pipe === undefined)) pipe = mark;
  }
  if (pipe === undefined) return undefined;
  const { at: start, depth } = pipe;
  const end = marks.find(
    (mark) =>
      mark.at > start &&
      ((mark.character === '|' && mark.depth <= depth) ||
        mark.character === ';' ||
        (')]}'.includes(mark.character) && mark.depth === depth && depth > 0)),
  );
  return { start, end: end?.at ?? text.length };
}

/** Mistakes that the grammar accepts so that they get a better message: open quotes, units and days that do not exist. */
function lexicalFindings(tree: Tree, text: string): Finding[] {
  const findings: Finding[] = [];
  tree.iterate({
    enter(node) {
      const range = { start: node.from, end: node.to };
      const written = () => text.slice(node.from, node.to);
      if (node.name === 'String' && !/^"(?:[^\\"]|\\.)*"$/.test(written())) findings.push(unterminated(range, '"'));
      if (node.name === 'QuotedName' && !/^`[^`]+`$/.test(written())) findings.push(unterminated(range, '`'));
      if (node.name === 'InvalidNumber') findings.push(unknownUnit(range, written()));
      if (node.name === 'Timestamp' && parseTimestamp(written()) === undefined) {
        findings.push({ name: 'INVALID_VALUE', message: `There is no time \`${written()}\`.`, range });
      }
    },
  });
  return findings;
}

function unterminated(range: Range, quote: string): Finding {
  const suggestion = { text: `close with ${quote}`, edit: { start: range.end, end: range.end, text: quote } };
  return { name: 'UNTERMINATED', message: `A closing \`${quote}\` is missing.`, range, suggestion };
}

function unknownUnit(range: Range, written: string): Finding {
  const [, number = '', unit = ''] = /^([\d.]+)(.*)$/.exec(written) ?? [];
  const near =
    nearest(unit, [...DURATION_UNITS, ...MONTH_UNITS, ...BYTE_UNITS]) ??
    [...MONTH_UNITS, ...DURATION_UNITS].find((known) => unit.startsWith(known));
  return {
    name: 'UNKNOWN_UNIT',
    message: `There is no unit \`${unit}\`. Durations take ${DURATION_UNITS.join(', ')}; calendar months and years mo and y; sizes B, kB, KiB, MB, MiB, GB, GiB.`,
    range,
    ...(near === undefined ? {} : { suggestion: replaceWith(range, `${number}${near}`) }),
  };
}
