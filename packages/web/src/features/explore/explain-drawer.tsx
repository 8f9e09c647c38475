import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatBytes } from '../../ui/format/index.ts';
import { Drawer, Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './explore.module.css';
import { explain } from './queries.ts';

/** How the server compiles a query: normal form, stages, fields, SQL and estimated reads. Null keeps it closed. */
export function ExplainDrawer({ query, onClose }: { query: string | null; onClose: () => void }) {
  return (
    <Drawer opened={query !== null} onClose={onClose} position="right" size={720} title="Explain">
      {query !== null && <Explanation query={query} />}
    </Drawer>
  );
}

function Explanation({ query }: { query: string }) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const { data, error } = useQuery(explain({ ws, project, environment, range, query }));
  if (error) return <ErrorState compact error={error} />;
  if (!data) return <Loading />;
  return (
    <Stack gap="lg">
      <CodeBlock title="Normal form" code={data.normalized} wrap />
      <dl className={classes.facts}>
        <dt>Window</dt>
        <dd className="num" style={{ textAlign: 'left' }}>
          <Timestamp value={data.window.from} /> – <Timestamp value={data.window.to} />
        </dd>
        <dt>Estimate</dt>
        <dd>
          {data.estimate
            ? `${countOf(data.estimate.rows, 'row')}, ${formatBytes(data.estimate.bytes)} in ${countOf(data.estimate.parts, 'part')}`
            : 'not available'}
        </dd>
      </dl>
      <Panel title="Stages" tight>
        <DataTable
          label="Stages"
          rows={data.stages}
          rowKey={(_, index) => String(index)}
          columns={[
            { id: 'op', header: 'Stage', cell: (stage) => <code>{stage.op}</code> },
            { id: 'out', header: 'Columns out', cell: (stage) => columnList(stage.out) },
            { id: 'keeps', header: 'Keeps', cell: (stage) => stage.keeps ?? '' },
          ]}
        />
      </Panel>
      {data.fields.length > 0 && (
        <Panel title="Fields" tight>
          <DataTable
            label="Fields"
            rows={data.fields}
            rowKey={(field, index) => `${field.ref}-${index}`}
            columns={[
              { id: 'ref', header: 'Written', cell: (field) => <code>{field.ref}</code> },
              { id: 'resolved', header: 'Means', cell: (field) => <code>{field.resolved}</code> },
              { id: 'index', header: 'Index', cell: (field) => field.index ?? <span className="dim">none</span> },
            ]}
          />
        </Panel>
      )}
      <CodeBlock title="SQL" code={data.sql} wrap />
    </Stack>
  );
}

function columnList(columns: readonly { name: string; type: string }[]) {
  if (columns.length > 12) return <span className="dim">{columns.length} columns</span>;
  return columns.map((column) => `${column.name}: ${column.type}`).join(', ');
}
