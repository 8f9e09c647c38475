import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useScope } from '../../app/session.ts';
import { AttributeTable } from '../../telemetry/attribute-table.tsx';
import { fieldPath, valueCondition } from '../../telemetry/filters.ts';
import { plainText } from '../../telemetry/results.ts';
import { CopyButton } from '../../ui/code-block.tsx';
import { DockedPanel } from '../../ui/docked-panel.tsx';
import { formatDuration, toDate } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Tabs } from '../../ui/mantine.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { SpanProfile } from '../profiles/span-profile.tsx';
import { CutNote } from './trace-cut.tsx';
import { FlagLines } from './trace-flags.tsx';
import { LogLines } from './trace-logs.tsx';
import { isError, nanosecondsBetween, type SpanNode, selfTime, type Trace } from './trace-tree.ts';
import classes from './waterfall.module.css';

/** All data of one span: times, attributes, resource, events, links and logs. */
export function SpanPanel({
  node,
  trace,
  onClose,
  onMove,
}: {
  node: SpanNode;
  trace: Trace;
  onClose: () => void;
  /** Shows the next (1) or the previous (-1) span of the waterfall. */
  onMove: (by: 1 | -1) => void;
}) {
  const { name, span_id } = node.span;
  return (
    <DockedPanel title={name} label={`Span ${name}`} flush onClose={onClose} onMove={onMove}>
      <SpanFacts key={span_id} node={node} trace={trace} />
    </DockedPanel>
  );
}

/** Searches for spans of a service, and other queries that values of a span suggest. */
function useSearches(service: string) {
  const scope = useScope();
  const navigate = useNavigate();
  /** Searches traces for spans of this service with, or without, a value of this span. */
  const findSpans = (field: string, value: unknown, exclude: boolean) =>
    void navigate({
      to: '/w/$ws/$project/traces',
      params: scope,
      search: { service, q: valueCondition({ field, value }, exclude) },
    });
  const explore = (q: string) => void navigate({ to: '/w/$ws/$project/explore', params: scope, search: { q } });
  const ofService = valueCondition({ field: 'service.name', value: service });
  const groupSpans = (field: string) => explore(`spans | where ${ofService} | ${countStage(field)}`);
  return { findSpans, groupSpans, explore };
}

function SpanFacts({ node, trace }: { node: SpanNode; trace: Trace }) {
  const { span } = node;
  const logs = (trace.logs ?? []).filter((log) => log.span_id === span.span_id);
  const flags = (trace.flags ?? []).filter((flag) => flag.span_id === span.span_id);
  const from = toDate(span.start)?.getTime() ?? 0;
  const { findSpans, groupSpans, explore } = useSearches(span.service);
  return (
    <>
      <SpanHead node={node} />
      <Tabs defaultValue="attributes" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="attributes">Attributes</Tabs.Tab>
          <Tabs.Tab value="resource">Resource</Tabs.Tab>
          {span.events.length > 0 && <Tabs.Tab value="events">Events {span.events.length}</Tabs.Tab>}
          {span.links.length > 0 && <Tabs.Tab value="links">Links {span.links.length}</Tabs.Tab>}
          {logs.length > 0 && <Tabs.Tab value="logs">Logs {logs.length}</Tabs.Tab>}
          {flags.length > 0 && <Tabs.Tab value="flags">Flags {flags.length}</Tabs.Tab>}
          <Tabs.Tab value="profile">Profile</Tabs.Tab>
        </Tabs.List>
        <div className={classes.panelBody}>
          <Tabs.Panel value="attributes">
            <AttributeTable
              label="Attributes"
              attributes={entries(span.attributes)}
              onFilter={(name, exclude) => findSpans(name, span.attributes[name], exclude)}
              onGroupBy={groupSpans}
            />
            {ownFacts(span).length > 0 && (
              <>
                <h3 className={classes.subhead}>Fields of the span</h3>
                <AttributeTable label="Fields of the span" attributes={ownFacts(span)} />
              </>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="resource">
            <Resource span={span} onFilter={findSpans} onGroupBy={groupSpans} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <Events span={span} onExplore={explore} />
          </Tabs.Panel>
          <Tabs.Panel value="links">
            <Links span={span} />
          </Tabs.Panel>
          <Tabs.Panel value="logs">
            <CutNote trace={trace} list="logs" />
            <LogLines logs={logs} />
          </Tabs.Panel>
          <Tabs.Panel value="flags">
            <FlagLines flags={flags} />
          </Tabs.Panel>
          <Tabs.Panel value="profile">
            <SpanProfile trace={trace.trace_id} span={span.span_id} from={from} to={from + node.duration / 1e6} />
          </Tabs.Panel>
        </div>
      </Tabs>
    </>
  );
}

function SpanHead({ node }: { node: SpanNode }) {
  const { span } = node;
  const scope = useScope();
  return (
    <div className={classes.panelHead}>
      <dl className={classes.facts}>
        <Fact name="Service">
          <AppLink to="/w/$ws/$project/services/$service" params={{ ...scope, service: span.service }}>
            {span.service}
          </AppLink>
        </Fact>
        <Fact name="Kind">{span.kind}</Fact>
        <Fact name="Status">
          <span className={isError(span) ? classes.error : undefined}>{span.status}</span>
        </Fact>
        <Fact name="Duration">{formatDuration(node.duration)}</Fact>
        <Fact name="Self">{formatDuration(selfTime(node))}</Fact>
        <Fact name="Starts at">{formatDuration(node.offset)}</Fact>
        <Fact name="Time">
          <Timestamp value={span.start} milliseconds />
        </Fact>
        <Fact name="Span">
          <span className="mono">{span.span_id}</span>{' '}
          <CopyButton value={span.span_id} label="Copy span id" size="xs" />
        </Fact>
      </dl>
      <p className={classes.more}>
        <AppLink
          to="/w/$ws/$project/traces"
          params={scope}
          search={{ service: span.service, q: valueCondition({ field: 'name', value: span.name }) }}
        >
          Similar spans
        </AppLink>
      </p>
      {span.status_message !== '' && <p className={classes.error}>{span.status_message}</p>}
    </div>
  );
}

function Resource({
  span: { resource, scope, ...span },
  onFilter,
  onGroupBy,
}: {
  span: SpanNode['span'];
  onFilter: (field: string, value: unknown, exclude: boolean) => void;
  onGroupBy: (field: string) => void;
}) {
  return (
    <AttributeTable
      label="Resource"
      isField={(name) => Object.hasOwn(resource, name)}
      onFilter={(name, exclude) => onFilter(`resource.${name}`, resource[name], exclude)}
      onGroupBy={(name) => onGroupBy(`resource.${name}`)}
      attributes={[
        ...entries(resource),
        ['scope.name', scope.name],
        ['scope.version', scope.version],
        ...entries(scope.attributes).map(([key, value]): [string, string] => [`scope.${key}`, value]),
        ...facts([
          ['resource.schema_url', span.resource_schema_url],
          ['scope.schema_url', scope.schema_url],
          ['resource.dropped_attributes_count', span.resource_dropped_attributes_count],
          ['scope.dropped_attributes_count', scope.dropped_attributes_count],
        ]),
      ]}
    />
  );
}

function Events({ span, onExplore }: { span: SpanNode['span']; onExplore: (query: string) => void }) {
  return span.events.map((event, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: events of a span never change and have no other unique key
    <div className={classes.event} key={`${event.time}-${index}`}>
      <div className={classes.eventHead}>
        <b>{event.name}</b>
        <span className="dim">at {formatDuration(nanosecondsBetween(span.start, event.time))}</span>
      </div>
      <AttributeTable
        label={`Event ${event.name}`}
        isField={(name) => Object.hasOwn(event.attributes, name)}
        onFilter={(field, exclude) =>
          onExplore(
            `events | where ${ofEvent(event.name)} and ${valueCondition({ field, value: event.attributes[field] }, exclude)}`,
          )
        }
        onGroupBy={(field) => onExplore(`events | where ${ofEvent(event.name)} | ${countStage(field)}`)}
        attributes={[
          ...entries(event.attributes),
          ...facts([['dropped_attributes_count', event.dropped_attributes_count]]),
        ]}
      />
    </div>
  ));
}

const ofEvent = (name: string) => valueCondition({ field: 'name', value: name });
/** The most frequent values of a field. */
const countStage = (field: string) => `stats n=count() by ${fieldPath(field)} | sort -n | limit 100`;

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Links({ span }: { span: SpanNode['span'] }) {
  const scope = useScope();
  return span.links.map((link, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: links of a span never change, and two may point to one span
    <div className={classes.event} key={`${link.span_id}-${index}`}>
      <AppLink
        className="mono"
        to="/w/$ws/$project/traces/$traceId"
        params={{ ...scope, traceId: link.trace_id }}
        search={{ span: link.span_id }}
      >
        {link.trace_id}
      </AppLink>
      <AttributeTable
        label={`Link ${index + 1}`}
        attributes={[
          ['link.span_id', link.span_id],
          ...entries(link.attributes),
          ...facts([
            ['link.trace_state', link.trace_state],
            ['link.flags', flagWords(link.flags, 'span')],
            ['dropped_attributes_count', link.dropped_attributes_count],
          ]),
        ]}
      />
    </div>
  ));
}

/** Trace flags in words: https://opentelemetry.io/docs/specs/otel/protocol/, `SpanFlags`. */
function flagWords(flags: number, of: 'parent' | 'span'): string {
  const words = [
    flags & 0x01 ? 'sampled' : '',
    flags & 0x02 ? 'random trace id' : '',
    flags & 0x100 ? `${flags & 0x200 ? 'remote' : 'local'} ${of}` : '',
  ].filter((word) => word !== '');
  return flags === 0 ? '' : [`0x${flags.toString(16)}`, ...words].join(', ');
}

/** Rare fields of a span; only those that are neither empty nor 0. */
function facts(all: readonly (readonly [string, string | number])[]): [string, string][] {
  return all.filter(([, value]) => value !== '' && value !== 0).map(([name, value]) => [name, String(value)]);
}

function ownFacts(span: SpanNode['span']): [string, string][] {
  return facts([
    ['trace_state', span.trace_state],
    ['flags', flagWords(span.flags, 'parent')],
    ['dropped_attributes_count', span.dropped_attributes_count],
    ['dropped_events_count', span.dropped_events_count],
    ['dropped_links_count', span.dropped_links_count],
  ]);
}

function entries(attributes: Record<string, unknown>): [string, string][] {
  return Object.entries(attributes)
    .map(([key, value]): [string, string] => [key, plainText(value)])
    .sort(([a], [b]) => a.localeCompare(b));
}
