import { chart, labelOf, libraryDashboard, number, table } from '../library-rules.ts';

const database = 'postgresql.database.name == $database';

export const postgresql = libraryDashboard({
  key: 'postgresql',
  name: 'PostgreSQL',
  description: 'Connections, transactions, rows and size of each database, and how long its clients wait.',
  sentBy: 'the postgresql receiver of the OpenTelemetry Collector',
  needs: [{ metric: 'postgresql.backends' }, { metric: 'postgresql.commits' }],
  variables: [labelOf('database', 'postgresql.database.name', 'postgresql.backends')],
  lines: [
    {
      h: 4,
      panels: [
        number(
          'Connections',
          `metric postgresql.backends | where ${database} | latest 5m | stats connections=sum(value)`,
        ),
        number('Size', `metric postgresql.db_size | where ${database} | latest 5m | stats size=sum(value)`, {
          unit: 'By',
        }),
        number(
          'Transactions per second',
          `metric postgresql.commits | where ${database} | rate | stats commits=sum(value)`,
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Connections',
          `metric postgresql.backends | where ${database} | latest 5m | sum by postgresql.database.name, bucket(auto)`,
        ),
        chart(
          'Commits and rollbacks per second',
          `metric =~ "^postgresql[.](commits|rollbacks)$" | where ${database} | rate | sum by metric.name, bucket(auto)`,
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Changed rows per second',
          `metric postgresql.operations | where ${database} | rate | sum by operation, bucket(auto)`,
        ),
        chart(
          'Blocks read per second',
          `metric postgresql.blocks_read | where ${database} | rate | sum by source, bucket(auto)`,
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Size',
          `metric postgresql.db_size | where ${database} | latest 5m | sum by postgresql.database.name, bucket(auto)`,
          { unit: 'By' },
        ),
        chart(
          'Clients wait, p95',
          'metric db.client.operation.duration | where db.system.name == "postgresql" | increase | stats p95=p95(value) by service.name, bucket(auto)',
          { unit: 's' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        table(
          'Largest tables',
          `metric postgresql.table.size | where ${database} | latest 5m | stats size=sum(value) by postgresql.database.name, postgresql.table.name | sort -size | limit 20`,
          { unit: 'By' },
        ),
      ],
    },
  ],
});
