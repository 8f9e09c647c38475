import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { fieldsQuery } from '../../telemetry/field-hints.ts';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { absoluteRange } from '../../ui/time/time-range.ts';
import { FlameGraph } from './flame-graph.tsx';
import { profileFormat } from './profile-units.ts';
import { flameQuery } from './queries.ts';

/** Profilers sample at intervals, so a span's samples can have times slightly before or after the span. */
const AROUND_MS = 60_000;

/** Where one span spent its time: its profile samples. Times in epoch milliseconds. */
export function SpanProfile({ trace, span, from, to }: { trace: string; span: string; from: number; to: number }) {
  const scope = useScope();
  const range = absoluteRange(from - AROUND_MS, to + AROUND_MS);
  const types = useQuery(
    fieldsQuery({ ...scope, environment: undefined, range }, { source: 'profiles', field: 'profile_type' }),
  );
  const known = types.data?.values.map(({ value }) => value) ?? [];
  const type = known.find((value) => value.startsWith('cpu')) ?? known[0];
  const flame = useQuery({
    ...flameQuery({ ...scope, environment: undefined, range, type: type ?? '', service: undefined, trace, span }),
    enabled: type !== undefined,
  });
  if (types.isError) return <ErrorState compact error={types.error} />;
  if (flame.isError) return <ErrorState compact error={flame.error} />;
  if (types.isPending || (type !== undefined && flame.isPending)) return <Loading label="Loading the profile" />;
  if (!flame.data || flame.data.nodes.length === 0) {
    return (
      <EmptyState compact title="No samples of this span">
        Profilers that support traces attach samples to spans. This span has none.
      </EmptyState>
    );
  }
  const { nodes, total, unit, samples } = flame.data;
  const format = profileFormat(unit);
  return (
    <>
      <p className="dim" style={{ marginBottom: 8 }}>
        {type}: {format(total)} in {countOf(samples, 'sample')}{' '}
        <AppLink to="/w/$ws/$project/profiles" params={scope} search={{ trace, span, type, ...range }}>
          Open in Profiles
        </AppLink>
      </p>
      <FlameGraph
        label={`Flame graph of the span, ${format(total)}`}
        nodes={nodes}
        total={total}
        format={format}
        search=""
      />
    </>
  );
}
