const BREAKS = [
  'SELECT ',
  'FROM ',
  'ARRAY JOIN ',
  'WHERE ',
  'AND ',
  'GROUP BY ',
  'HAVING ',
  'ORDER BY ',
  'LIMIT ',
  'UNION ALL ',
  'INNER JOIN ',
  'LEFT JOIN ',
  'LEFT ANTI JOIN ',
  'LEFT SEMI JOIN ',
];

/** Lays out a printed statement so that a person can compare it: one clause, column or condition per line. */
export function layOut(statement: string): string {
  let out = '';
  /** For each open bracket: whether it contains a SELECT. */
  const open: boolean[] = [];
  const line = () => `\n${'  '.repeat(open.filter((isSelect) => isSelect).length)}`;
  const inSelect = () => open.at(-1) ?? true;
  for (let at = 0; at < statement.length; ) {
    const rest = statement.slice(at);
    const string = /^'(?:[^'\\]|\\[\s\S]|'')*'/.exec(rest)?.[0];
    const clause = BREAKS.find((words) => rest.startsWith(` ${words}`));
    if (string !== undefined) {
      out += string;
      at += string.length;
    } else if (/^\((?:SELECT|WITH) /.test(rest)) {
      open.push(true);
      out += `(${line()}`;
      at += 1;
    } else if (rest.startsWith(')')) {
      const closesSelect = open.pop() ?? false;
      out += closesSelect ? `${line()})` : ')';
      at += 1;
    } else if (rest.startsWith('(')) {
      open.push(false);
      out += '(';
      at += 1;
    } else if (inSelect() && clause !== undefined) {
      out += line();
      at += 1;
    } else if (inSelect() && rest.startsWith(', ')) {
      out += `,${line()}  `;
      at += 2;
    } else {
      out += rest[0];
      at += 1;
    }
  }
  return out;
}
