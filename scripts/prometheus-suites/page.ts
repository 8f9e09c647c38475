import type { DashboardFacts } from './dashboards.ts';
import type { RuleFacts } from './rules.ts';

export const pageHead = `# Rules and dashboards in PromQL

What holds of published rules of Prometheus and dashboards of Grafana after their import. Their queries and alerts are evaluated here and in
Debian's Prometheus 2.42 over the same 24 hours of made-up samples, one each minute: stretches below, at and above the numbers in the
queries, resets, breaks, and series that end and return. Numbers are equal to nine digits. This page is printed by
\`scripts/prometheus-suites\`.

The samples avoid the two cases in which Prometheus 2 differs from Prometheus 3, which Fanion follows: a sample exactly at the start of a
range, and a counter that has just begun near zero.`;

/** Differences that have a reason. */
const reasons: readonly (readonly [RegExp, string])[] = [];

const reasonOf = (miss: string) => reasons.find(([names]) => names.test(miss))?.[1];

export const unexplained = (misses: readonly string[]): string[] =>
  misses.filter((miss) => reasonOf(miss) === undefined);

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const written = (cells: readonly (string | number)[]) =>
    cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell));
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(written).map(line)].join(
    '\n',
  );
}

function listOf(misses: readonly string[]): string {
  if (misses.length === 0) return '\nThere is no difference.';
  const lines = misses.map((miss) => `- ${miss.replaceAll('|', '\\|')}: ${reasonOf(miss) ?? '**unexplained**'}`);
  return `\n${lines.join('\n')}`;
}

const sumOf = <T>(facts: readonly T[], of: (one: T) => number) => facts.reduce((sum, one) => sum + of(one), 0);

/** @param version of the files */
export function rulesTable(facts: readonly RuleFacts[], version: string): string {
  const columns: readonly (readonly [string, (one: RuleFacts) => number])[] = [
    ['rules', ({ rules }) => rules],
    ['refused', ({ refused }) => refused],
    ['expressions', ({ asked }) => asked],
    ['equal', ({ equal }) => equal],
    ['with an answer', ({ answered }) => answered],
    ['values compared', ({ samples }) => samples],
    ['alert rules', ({ alertRules }) => alertRules],
    ['equal states', ({ equalStates }) => equalStates],
    ['alerts', ({ alerts }) => alerts],
    ['fired', ({ fired }) => fired],
    ['changes of state', ({ changes }) => changes],
  ];
  const row = (name: string, list: readonly RuleFacts[]) => [name, ...columns.map(([, of]) => sumOf(list, of))];
  return `
## Rules of kube-prometheus

The compiled mixins of the node exporter, Kubernetes, Prometheus, Alertmanager and others in
[prometheus-operator/kube-prometheus](https://github.com/prometheus-operator/kube-prometheus) (Apache-2.0, commit ${version}), imported by
\`fanion import prometheus-rules\`. Recording rules with the same name are joined into one expression. The states of alerts are compared at
each minute of the day, and again in the server's preview around the first alert of each rule that fires.

${table(['file', ...columns.map(([name]) => name)], [...facts.map((one) => row(one.suite, [one])), row('all', facts)])}
${listOf(facts.flatMap(({ misses }) => misses))}`;
}

/** @param version of the files */
export function dashboardsTable(facts: readonly DashboardFacts[], version: string): string {
  const columns: readonly (readonly [string, (one: DashboardFacts) => number])[] = [
    ['panels', ({ panels }) => panels],
    ['kept', ({ keptPanels }) => keptPanels],
    ['targets', ({ targets }) => targets],
    ['answer', ({ answered }) => answered],
    ['equal', ({ equal }) => equal],
    ['with samples', ({ withSamples }) => withSamples],
    ['values compared', ({ samples }) => samples],
  ];
  const row = (name: string, list: readonly DashboardFacts[]) => [name, ...columns.map(([, of]) => sumOf(list, of))];
  return `
## Dashboards of rfmoz

Dashboards in [rfmoz/grafana-dashboards](https://github.com/rfmoz/grafana-dashboards) (Apache-2.0, commit ${version}), converted by
\`POST /dashboards/convert\`. Targets are the visible queries of panels. All panels are loaded through \`POST /dashboards/preview\`, and
each query is compared every ten minutes of the day.

${table(
  ['dashboard', ...columns.map(([name]) => name)],
  [...facts.map((one) => row(one.suite, [one])), row('all', facts)],
)}
${listOf(facts.flatMap(({ misses }) => misses))}`;
}
