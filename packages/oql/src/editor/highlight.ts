import { styleTags, tags } from '@lezer/highlight';
import { KEYWORDS } from '../grammar/keywords.ts';

const SOURCES = 'logs spans traces events links profiles metric metrics exemplars flags changes';
const STAGES =
  'where match extend fields omit dedup parse patterns rate increase delta promrate promincrease irate deriv predict latest stats fill compare contrast join sort top limit sample union funnel flame context concurrency';
const LOGIC = 'and or not in has contains startswith exists between';
const VALUES = new Set(['true', 'false', 'null', 'now']);
const listed = new Set([...SOURCES.split(' '), ...STAGES.split(' '), ...LOGIC.split(' '), ...VALUES]);
const OTHERS = KEYWORDS.filter((word) => !listed.has(word)).join(' ');

/** The style tag of each node of the grammar. */
export const highlighting = styleTags({
  [SOURCES]: tags.definitionKeyword,
  [STAGES]: tags.keyword,
  [LOGIC]: tags.operatorKeyword,
  [OTHERS]: tags.modifier,
  'true false': tags.bool,
  'null now': tags.null,
  String: tags.string,
  'Int Float': tags.number,
  'Duration Months Bytes Timestamp': tags.unit,
  InvalidNumber: tags.invalid,
  'LineComment BlockComment': tags.comment,
  'Func/Name': tags.function(tags.variableName),
  'Alias/Name Definition/Name': tags.definition(tags.variableName),
  'NameRef/Name': tags.variableName,
  'Path/Name Path/QuotedName': tags.propertyName,
  Param: tags.special(tags.variableName),
  'CompareOp ArithOp MulOp ShapeOp "="': tags.operator,
  '"|"': tags.controlOperator,
  '( )': tags.paren,
  '[ ]': tags.squareBracket,
  '{ }': tags.brace,
  '. , ;': tags.separator,
});
