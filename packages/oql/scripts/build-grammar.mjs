// Builds src/grammar/{parser,terms}.generated.ts from grammar/oql.grammar. The output is committed, so that a build of
// the package is `tsc` alone; run this after a change of the grammar or of the keyword list.
import { readFileSync, writeFileSync } from 'node:fs';
import { buildParserFile } from '@lezer/generator';

const at = (path) => new URL(`../${path}`, import.meta.url);
const source = readFileSync(at('src/grammar/keywords.ts'), 'utf8');
const list = /KEYWORDS[^=]*= \[([\s\S]*?)\n\];/.exec(source)?.[1] ?? '';
const keywords = [...list.matchAll(/'([a-z]+)'/g)].map((match) => match[1]);
const token = (keyword) => `kw${keyword[0].toUpperCase()}${keyword.slice(1)}`;

const grammar = readFileSync(at('grammar/oql.grammar'), 'utf8').replace(
  '/* KEYWORDS */',
  keywords.map((keyword) => `${token(keyword)}[@name="${keyword}"]`).join(' '),
);
const warnings = [];
const built = buildParserFile(grammar, {
  fileName: 'oql.grammar',
  moduleStyle: 'es',
  typeScript: true,
  // The names of the tokens are needed at run time: they are the expected set of a syntax error.
  includeNames: true,
  warn: (message) => warnings.push(message),
});
if (warnings.length > 0) throw new Error(`The grammar has warnings:\n${warnings.join('\n')}`);

// Syntax errors are told from the tokens that the parser could have shifted: their ids and how people write them.
const names = JSON.parse(/termNames: (\{.*\})/.exec(built.parser)?.[1] ?? '{}');
const labels = {
  Name: 'a name',
  QuotedName: 'a quoted name',
  String: 'a string',
  Int: 'a number',
  Float: 'a number',
  Duration: 'a duration',
  Months: 'a number of months',
  Bytes: 'a size',
  Timestamp: 'a timestamp',
};
const tokens = Object.entries(names).flatMap(([id, name]) => {
  const label =
    labels[name] ?? (name.startsWith('"') ? JSON.parse(name) : keywords.find((word) => token(word) === name));
  return label === undefined ? [] : [[Number(id), label]];
});
writeFileSync(
  at('src/grammar/expected.generated.ts'),
  `// Built by scripts/build-grammar.mjs: every token of the grammar, by its term, with its label.
export const TOKEN_LABELS: ReadonlyMap<number, string> = new Map(${JSON.stringify(tokens)});
`,
);
const parser = built.parser.replace(/,\n {2}termNames: \{.*\}/, '');
writeFileSync(at('src/grammar/parser.generated.ts'), parser);
writeFileSync(at('src/grammar/terms.generated.ts'), built.terms);
console.log(`grammar built: ${keywords.length} keywords, ${built.parser.length} bytes`);
