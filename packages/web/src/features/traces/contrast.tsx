import { contrastSelections, type RouteResponse } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { countOf, formatPercent } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { WhyList } from '../why/why-list.tsx';
import classes from './heat-map.module.css';

export interface ContrastSelection {
  where?: string;
  from?: string;
  to?: string;
  min_duration?: string;
  max_duration?: string;
}

type Field = RouteResponse<typeof contrastSelections>['fields'][number];

/** Maximum number of attributes, and of values of each; the most distinguishing come first. */
const FIELDS = 24;
const VALUES = 6;

/** The causes of a selection of spans, and the attributes that distinguish it from the others that match the same conditions. */
export function Contrast({
  title,
  conditions,
  selection,
}: {
  title: string;
  conditions: readonly string[];
  selection: ContrastSelection;
}) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const body = {
    source: 'spans' as const,
    project,
    ...(environment !== undefined && { environment }),
    ...range,
    ...(conditions.length > 0 && { where: conditions.join(' and ') }),
    selection,
    limit: FIELDS,
  };
  const answer = useQuery({
    queryKey: [contrastSelections.id, ws, body],
    queryFn: async ({ signal }) => (await call(contrastSelections, { params: { ws }, body, signal })).data,
  });
  return (
    <Panel title={`What distinguishes ${title}`}>
      <Loaded query={answer} label="Comparing" compact>
        {(data) =>
          data.selection.rows === 0 ? (
            <EmptyState compact title="No spans in the selection">
              Drag the box over colored cells.
            </EmptyState>
          ) : (
            <>
              <WhyList why={data.why} project={project} environment={environment} comment={`Traces: ${title}`} />
              <Differences of={data} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Differences({
  of: { selection, baseline, sample, fields },
}: {
  of: RouteResponse<typeof contrastSelections>;
}) {
  return (
    <details className={classes.attributes}>
      <summary>All attributes that differ</summary>
      <p className={classes.sides}>
        <span className={classes.key} data-side="selection">
          Selection, {countOf(selection.rows, 'span')}
        </span>
        <span className={classes.key} data-side="baseline">
          All others, {countOf(baseline.rows, 'span')}
        </span>
        <span className="dim">
          ranked by Cramér’s V{sample === null ? '' : `, of ${formatPercent(sample)} of the spans`}
        </span>
      </p>
      {fields.length === 0 && <Notice kind="info">No attribute differs between the two sides.</Notice>}
      <ul className={classes.fields} aria-label="Attributes that differ">
        {withoutEchoes(fields).map((field) => (
          <li key={field.field}>
            <FieldContrast field={field} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Drops fields that duplicate another one: `resource.service.name` next to `service.name`. */
function withoutEchoes(fields: readonly Field[]): Field[] {
  const scores = new Map(fields.map((field) => [field.field, field.score]));
  return fields.filter(({ field, score }) => !field.startsWith('resource.') || scores.get(field.slice(9)) !== score);
}

function FieldContrast({ field }: { field: Field }) {
  const values = field.values.slice(0, VALUES);
  const left = field.distinct - values.length;
  return (
    <section className={classes.field} aria-label={field.field}>
      <h3>
        <span className="truncate">{field.field}</span>
        <span className={classes.score} title="Cramér’s V: 0 no association, 1 full association">
          {field.score.toFixed(2)}
        </span>
      </h3>
      <table>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Share of the selection</th>
            <th scope="col">Share of all others</th>
          </tr>
        </thead>
        <tbody>
          {values.map((value) => (
            <tr key={value.value}>
              <th scope="row" className="truncate" title={value.value}>
                {value.value === '' ? '(empty)' : value.value}
              </th>
              <td>
                <Bar side="selection" share={value.selection_share} />
              </td>
              <td>
                <Bar side="baseline" share={value.baseline_share} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p className="dim">{countOf(left, 'more value')}</p>}
    </section>
  );
}

function Bar({ side, share }: { side: 'selection' | 'baseline'; share: number }) {
  return (
    <span className={classes.share}>
      <span
        className={classes.bar}
        data-side={side}
        style={{ width: `${Math.max(share > 0 ? 2 : 0, share * 100)}%` }}
      />
      <span className={classes.number}>{formatPercent(share)}</span>
    </span>
  );
}
