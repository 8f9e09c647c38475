import { FIELDS, FUNCTIONS, STAGES, signature } from '@fanion/oql';

/** Stages, functions and fields of OQL, from their definitions. */
export function reference(): string {
  const stages = STAGES.map(({ syntax, doc, examples }) =>
    [`- \`${syntax}\`: ${doc}`, ...examples.map((query) => `  - \`${query}\``)].join('\n'),
  );
  const functions = FUNCTIONS.map((definition) => `- \`${signature(definition)}\`: ${definition.doc}`);
  const fields = Object.entries(FIELDS).map(([source, docs]) =>
    [`### ${source}`, ...Object.entries(docs).map(([name, doc]) => `- \`${name}\`: ${doc}`)].join('\n'),
  );
  return ['# OQL', '## Stages', ...stages, '## Functions', ...functions, '## Fields', ...fields].join('\n');
}
