import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMediaQuery } from '../../ui/mantine.ts';
import { PHONE } from '../../ui/screen.ts';
import type { View } from './minimap.tsx';
import { firstFailure, foldsAround, foldsOf, waterfallRows } from './trace-folds.ts';
import { ancestorIds, buildTree, type SpanNode, spanMatches, type Trace, visibleNodes } from './trace-tree.ts';

/** Changes what the address says about the trace. */
export function useSetSearch() {
  const navigate = useNavigate();
  return (next: { span?: string | undefined; q?: string | undefined; view?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });
}

/** The spans of a trace: which rows are shown, and which span is selected. */
export function useSpans(trace: Trace) {
  const { span: asked } = useSearch({ from: '/w/$ws/$project/traces/$traceId' });
  const setSearch = useSetSearch();
  const tree = useMemo(() => buildTree(trace), [trace]);
  const folds = useMemo(() => foldsOf(tree.roots), [tree]);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [view, setView] = useState<View>({ from: 0, to: tree.duration });
  const everything = useMemo(() => visibleNodes(tree.roots, new Set()), [tree]);
  // A trace that failed opens on its failure, until somebody selects a span or closes the panel. A phone has no space for both.
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const [hasChosen, setHasChosen] = useState(false);
  const failure = useMemo(() => firstFailure(everything)?.span.span_id, [everything]);
  const selected = asked ?? (hasChosen || isPhone ? undefined : failure);
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => {
    const target = selected === undefined ? undefined : tree.bySpanId.get(selected);
    return new Set(target ? foldsAround(target, folds) : []);
  });
  const rows = useMemo(() => waterfallRows(tree.roots, folds, { collapsed, opened }), [tree, folds, collapsed, opened]);

  const select = (spanId: string | undefined) => {
    const target = spanId === undefined ? undefined : tree.bySpanId.get(spanId);
    if (target) {
      const hidden = ancestorIds(target).filter((id) => collapsed.has(id));
      if (hidden.length > 0) setCollapsed((old) => new Set([...old].filter((id) => !hidden.includes(id))));
      const around = foldsAround(target, folds);
      if (around.length > 0) setOpened((old) => new Set([...old, ...around]));
    }
    setHasChosen(true);
    setSearch({ span: spanId });
  };
  const moveBy = (by: 1 | -1) => {
    const spans = rows.flatMap((row) => (row.kind === 'span' ? [row.node.span.span_id] : []));
    const at = selected === undefined ? -1 : spans.indexOf(selected);
    const next = spans[at + by];
    if (at !== -1 && next !== undefined) select(next);
  };
  const fold = (spanId: string, closed: boolean) => setCollapsed((old) => withTurned(old, spanId, closed));
  const openFold = (id: string, open: boolean) => setOpened((old) => withTurned(old, id, open));
  const foldAll = () => {
    setOpened(new Set());
    setCollapsed(collapsed.size > 0 ? new Set() : allFoldable(everything));
  };
  return {
    tree,
    everything,
    rows,
    view,
    setView,
    collapsed,
    opened,
    selected,
    select,
    moveBy,
    fold,
    openFold,
    foldAll,
  };
}

/** The ids with one more, or without it. */
function withTurned(ids: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  return new Set(on ? [...ids, id] : [...ids].filter((other) => other !== id));
}

function allFoldable(nodes: readonly SpanNode[]): ReadonlySet<string> {
  return new Set(
    nodes.filter(({ depth, children }) => depth > 0 && children.length > 0).map(({ span }) => span.span_id),
  );
}

/** The spans that the search of the page finds; null without a search. */
export function useMatches(everything: readonly SpanNode[], q: string): ReadonlySet<string> | null {
  return useMemo(
    () =>
      q.trim() === ''
        ? null
        : new Set(everything.filter((node) => spanMatches(node.span, q)).map((node) => node.span.span_id)),
    [everything, q],
  );
}
