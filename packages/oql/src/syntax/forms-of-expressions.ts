import { likeCondition } from '../foreign/names.ts';
import { CALL, type Form, form, NAME } from './form.ts';

const QUOTED = String.raw`"[^"\n]*"`;

/** Types of SQL, and the functions that convert to them. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  ...{ int: 'int', integer: 'int', bigint: 'int', long: 'int', int64: 'int', signed: 'int', unsigned: 'int' },
  ...{ float: 'float', double: 'float', real: 'float', numeric: 'float', decimal: 'float', number: 'float' },
  ...{ text: 'string', string: 'string', varchar: 'string', char: 'string', keyword: 'string' },
  ...{ bool: 'bool', boolean: 'bool', timestamp: 'timestamp', datetime: 'timestamp' },
};
const converted = (field: string | undefined, type: string | undefined) =>
  `${CONVERSIONS[type?.toLowerCase() ?? ''] ?? 'string'}(${field})`;

function negated(field = '', operator = '', quoted = ''): string {
  const word = operator.toLowerCase();
  const isLike = word === 'like' || word === 'ilike';
  const condition = isLike ? likeCondition(field, quoted.slice(1, -1)) : `${field} ${WORDS[word] ?? word} ${quoted}`;
  return `not ${condition}`;
}
const WORDS: Readonly<Record<string, string>> = { contain: 'contains', include: 'contains', match: '=~', rlike: '=~' };

/** How other languages write conditions and calculations. */
export const EXPRESSION_FORMS: readonly Form[] = [
  form(
    String.raw`(${NAME})\s+(?:not\s+|!\s*|does\s+not\s+)(contains?|include|has|startswith|like|ilike|rlike|match)\s+(${QUOTED})`,
    '`not` stands before the condition',
    ([, field, operator, quoted]) => negated(field, operator, quoted),
  ),
  form(String.raw`!\s*in\b(?=\s*[([])`, 'negation is `not`', () => 'not in'),
  form(String.raw`\bin~`, 'a list is searched with `in`', () => 'in'),
  form(String.raw`(=~|!~)\s*"([^"\n]*)"i\b`, 'flags stand inside of the expression', ([, operator, text]) => {
    return `${operator} "(?i)${text}"`;
  }),
  form('===', 'equality is `==`', () => '=='),
  form('!==', 'inequality is `!=`', () => '!='),
  form('=!', 'inequality is `!=`', () => '!='),
  form(
    String.raw`(${NAME})\s*(==|=~|!=|!~|contains|has)\s*(${QUOTED})\s+(and|or)\s+(?=(?:==|=~|!=|!~|contains|has)\s*")`,
    'each condition names its field',
    ([, field, operator, text, word]) => `${field} ${operator} ${text} ${word} ${field} `,
  ),
  form(String.raw`(${NAME})::(\w+)`, 'a value is converted with a function', ([, field, type]) =>
    converted(field, type),
  ),
  form(
    String.raw`\bcast\s*\(\s*(${NAME})\s+as\s+(\w+)\s*\)`,
    'a value is converted with a function',
    ([, field, type]) => {
      return converted(field, type);
    },
  ),
  form(
    String.raw`(${NAME})\s*\?\?\s*(${NAME}|${QUOTED}|\d+)`,
    'the first value that exists is `coalesce`',
    ([, first, second]) => `coalesce(${first}, ${second})`,
  ),
  form(
    String.raw`\bcase\s+when\s+([^|]+?)\s+then\s+(${QUOTED}|\S+)\s+else\s+(${QUOTED}|\S+)\s+end\b`,
    '`case` is a function',
    ([, condition, value, otherwise]) => `case(${condition}, ${value}, ${otherwise})`,
  ),
  form(
    String.raw`\bcase\s+when\b[^|]*`,
    '`case` is a function, as in `case(x < 20, "small", x < 100, "medium", "large")`',
  ),
  form(String.raw`(${NAME})\s+\?\s+[^|]*`, 'one of two values is chosen with `if(condition, a, b)`'),
  form(
    String.raw`\bextract\s*\(\s*(minute|hour|day|month|year)\s+from\s+(${NAME})\s*\)`,
    'a part of a time is a function',
    ([, part, field]) => `${part?.toLowerCase()}(${field})`,
  ),
  form(
    String.raw`(${CALL})\s*\[\d+\]`,
    '`[…]` reads from a field: make a column with `extend` first, and read from that',
  ),
  form(String.raw`(?<![\p{L}\p{N}_\])"\x60.])\.(\d+)`, 'a number begins with a digit', ([, digits]) => `0.${digits}`),
];
