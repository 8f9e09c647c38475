/**
 * Grouping accuracy of log patterns on LogHub's sixteen labeled sets of 2,000 lines, compared with the published
 * figures of Drain.
 *
 *     npx tsx bench/patterns.ts FOLDER
 *
 * after `npm run build`. FOLDER is a checkout of https://github.com/logpai/loghub, which has `NAME/NAME_2k.log_structured.csv`. The sets
 * are free for research and academic work, and are not part of this repository: J. Zhu, S. He, P. He, J. Liu, M. R. Lyu, "Loghub: A
 * Large Collection of System Log Datasets for AI-driven Log Analytics", ISSRE 2023. The figures of Drain, with masks and thresholds
 * chosen for each set: J. Zhu et al., "Tools and Benchmarks for Automated Log Parsing", ICSE-SEIP 2019, table III. Ours are those of the
 * product: one algorithm, nothing chosen for a set.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTemplates } from '@fanion/oql';
import { sharedStore, startEngine } from '../packages/oql/src/testing/engine.ts';
import { accuracyOf } from '../packages/oql/src/testing/log-sets.ts';

const published: Readonly<Record<string, number>> = {
  HDFS: 0.998,
  Hadoop: 0.948,
  Spark: 0.92,
  Zookeeper: 0.967,
  OpenStack: 0.733,
  BGL: 0.963,
  HPC: 0.887,
  Thunderbird: 0.955,
  Windows: 0.997,
  Linux: 0.69,
  Mac: 0.787,
  Android: 0.911,
  HealthApp: 0.78,
  Apache: 1,
  OpenSSH: 0.788,
  Proxifier: 0.527,
};

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npx tsx bench/patterns.ts FOLDER_OF_LOGHUB');
  process.exit(2);
}

const engine = await startEngine([]);
try {
  const text = `SELECT n, {lines:Array(String)}[n + 1] AS line FROM (SELECT arrayJoin(range(length({lines:Array(String)}))) AS n)`;
  const statement = `SELECT template FROM (${withTemplates(text, 'line')}) ORDER BY n`;
  const results: { accuracy: number; groupF1: number; published: number }[] = [];
  console.log(
    '| set | templates | groups | F1 of groups | grouping accuracy | Drain, published |\n| --- | --- | --- | --- | --- | --- |',
  );
  for (const [name, drain] of Object.entries(published)) {
    const rows = readCsv(readFileSync(join(folder, name, `${name}_2k.log_structured.csv`), 'utf8'));
    const lines = rows.map((row) => row.Content ?? '');
    const truth = rows.map((row) => row.EventId ?? '');
    const found = (await engine.select(statement, { lines })).map(([template]) => String(template));
    const { accuracy, groupF1, groups } = accuracyOf(truth, found);
    results.push({ accuracy, groupF1, published: drain });
    const below = accuracy < drain - 0.01 ? ' (below)' : '';
    console.log(row(name, new Set(truth).size, groups, groupF1, accuracy, drain) + below);
  }
  const mean = (key: 'accuracy' | 'groupF1' | 'published') =>
    results.reduce((sum, result) => sum + result[key], 0) / results.length;
  console.log(row('mean', '', '', mean('groupF1'), mean('accuracy'), mean('published')));
} finally {
  await engine.stop();
  await (await sharedStore()).stop();
}

function row(name: string, templates: number | '', groups: number | '', f1: number, accuracy: number, drain: number) {
  return `| ${[name, templates, groups, f1.toFixed(3), accuracy.toFixed(3), drain.toFixed(3)].join(' | ')} |`;
}

/** Comma-separated values with a header; a quoted field may contain commas, quotes and line breaks. */
function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [];
  let fields: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = text[at] === '"';
    const field = quoted ? /"((?:[^"]|"")*)"/y : /([^,\n]*)/y;
    field.lastIndex = at;
    const value = field.exec(text)?.[1] ?? '';
    fields.push(quoted ? value.replaceAll('""', '"') : value.replace(/\r$/, ''));
    at += value.length + (quoted ? 2 : 0);
    if (text[at] === '\r') at++;
    if (text[at] !== ',') {
      rows.push(fields);
      fields = [];
    }
    at++;
  }
  const [head = [], ...records] = rows;
  return records.map((values) => Object.fromEntries(head.map((name, i) => [name, values[i] ?? ''])));
}
