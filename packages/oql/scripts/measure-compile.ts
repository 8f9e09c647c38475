// Processor time of compiling the worst texts that are known, each once: npx tsx packages/oql/scripts/measure-compile.ts
import { compile } from '../src/index.ts';
import { WORST_TEXTS } from '../src/testing/worst-texts.ts';

const window = { fromNs: 1_763_560_800_000_000_000n, toNs: 1_763_564_400_000_000_000n };
const options = { scope: { workspace: 7 }, window, limit: 100, nowNs: window.toNs };
compile('spans | where a == 1 | stats n=count() by b', options);
const measured = Object.entries(WORST_TEXTS).map(([name, text]) => {
  const before = process.cpuUsage().user;
  const compiled = compile(text, options);
  const milliseconds = (process.cpuUsage().user - before) / 1000;
  const outcome = compiled.ok ? `${compiled.sql.length} of SQL` : compiled.diagnostics[0]?.code;
  return {
    milliseconds,
    line: `${milliseconds.toFixed(0).padStart(6)} ms  ${text.length} characters  ${outcome}  ${name}`,
  };
});
for (const { line } of measured.sort((a, b) => b.milliseconds - a.milliseconds)) console.log(line);
