import { ApiError, removeSegment } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { useConfirmLeave } from '../../app/confirm-leave.ts';
import { useDelete } from '../../app/confirmed.ts';
import { FollowSaved } from '../../app/draft-of.tsx';
import { ItemPage } from '../../app/item-page.tsx';
import { queryClient } from '../../app/query-client.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { Button, Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { KeysEditor } from './keys-editor.tsx';
import { refreshSegments, type Segment, segmentQuery } from './queries.ts';
import { diffSegment, type SegmentDraft, toSegmentDraft } from './segment-draft.ts';
import { SegmentReview } from './segment-review.tsx';
import { SegmentRules } from './segment-rules.tsx';
import classes from './segments.module.css';
import { UsedBy } from './used-by.tsx';

/** One segment: included keys, rules, excluded keys, and the flags and segments that use it. */
export function SegmentPage() {
  const scope = useScope();
  const { key } = useParams({ from: '/w/$ws/$project/segments/$key' });
  const segment = useQuery(segmentQuery(scope.ws, scope.project, key));
  return (
    <ItemPage
      query={segment}
      itemKey={key}
      what="segment"
      crumbs={<ScopeLink to="/w/$ws/$project/segments">Segments</ScopeLink>}
      actions={(item) => <DeleteSegment segment={item} />}
    >
      {(item) => <SegmentForm key={item.id} segment={item} />}
    </ItemPage>
  );
}

function DeleteSegment({ segment }: { segment: Segment }) {
  const scope = useScope();
  const canWrite = useCan('flags:write');
  const deleteIt = useDelete();
  const navigate = useNavigate();
  if (!canWrite) return null;
  const used = segment.used_by.flags.length + segment.used_by.segments.length > 0;
  const remove = () =>
    deleteIt({
      name: segment.key,
      body: 'Deletes the segment with its keys and rules. This cannot be undone.',
      action: 'Delete segment',
      typed: segment.key,
      run: () => call(removeSegment, { params: { ws: scope.ws, p: scope.project, skey: segment.key } }),
      leave: () => navigate({ to: '/w/$ws/$project/segments', params: scope }),
      queryKey: segmentQuery(scope.ws, scope.project, segment.key).queryKey,
      refresh: refreshSegments,
    });
  return (
    <Button
      variant="default"
      disabled={used}
      title={used ? 'This segment is in use: remove those uses first' : undefined}
      onClick={() => void remove()}
    >
      Delete
    </Button>
  );
}

/** A segment while somebody edits it: the version that the draft began with, the draft, and what the server refused. */
function useSegmentDraft(segment: Segment) {
  const scope = useScope();
  const [base, setBase] = useState(segment);
  const [draft, setDraft] = useState(() => toSegmentDraft(segment));
  const [refused, setRefused] = useState<unknown>(null);
  const changes = useMemo(() => diffSegment(base, draft), [base, draft]);
  const wrong = new Map(
    refused instanceof ApiError ? refused.details?.map(({ path, message }) => [path, message]) : [],
  );
  const set = (next: Partial<typeof draft>) => setDraft({ ...draft, ...next });
  const adopt = (next: Segment) => {
    setBase(next);
    setDraft(toSegmentDraft(next));
    setRefused(null);
  };
  /** Replaces the draft with the saved state. */
  const reload = async () => {
    await refreshSegments();
    adopt(await queryClient.fetchQuery({ ...segmentQuery(scope.ws, scope.project, segment.key), staleTime: 0 }));
  };
  return { base, draft, set, changes, wrong, setRefused, adopt, reload };
}

function SegmentForm({ segment }: { segment: Segment }) {
  const disabled = !useCan('flags:write');
  const [reviewing, setReviewing] = useState(false);
  const { base, draft, set, changes, wrong, setRefused, adopt, reload } = useSegmentDraft(segment);
  const dirty = changes.length > 0;
  useConfirmLeave(dirty, 'the segment');
  return (
    <>
      <FollowSaved base={base} saved={segment} isEdited={dirty} onTake={adopt} />
      <div className={classes.layout}>
        <div className={classes.column}>
          <KeysEditor
            title="Included keys"
            empty="No included keys. Included keys are in the segment regardless of its rules."
            keys={base.included}
            changes={draft.included}
            disabled={disabled}
            onChange={(included) => set({ included })}
          />
          <SegmentRules
            rules={draft.rules}
            disabled={disabled}
            errorAt={(path) => wrong.get(path)}
            onChange={(rules) => set({ rules })}
          />
          <KeysEditor
            title="Excluded keys"
            empty="No excluded keys. Excluded keys are not in the segment, even if a rule matches."
            keys={base.excluded}
            changes={draft.excluded}
            disabled={disabled}
            onChange={(excluded) => set({ excluded })}
          />
        </div>
        <div className={classes.column}>
          <About base={base} draft={draft} disabled={disabled} onChange={set} />
          <Panel title="Used by">
            <UsedBy usedBy={base.used_by} />
          </Panel>
        </div>
      </div>
      {dirty && (
        <SaveBar disabled={draft.name.trim() === ''} onDiscard={() => adopt(base)} onReview={() => setReviewing(true)}>
          {countOf(changes.length, 'change')}
        </SaveBar>
      )}
      <SegmentReview
        opened={reviewing}
        base={base}
        draft={draft}
        changes={changes}
        onSaved={reload}
        onReload={reload}
        onRefused={setRefused}
        onClose={() => setReviewing(false)}
      />
    </>
  );
}

/** The name, description and version of a segment. */
function About({
  base,
  draft,
  disabled,
  onChange,
}: {
  base: Segment;
  draft: Pick<SegmentDraft, 'name' | 'description'>;
  disabled: boolean;
  onChange: (change: Partial<SegmentDraft>) => void;
}) {
  return (
    <Panel title="About">
      <div className={classes.flow}>
        <TextInput
          label="Name"
          disabled={disabled}
          value={draft.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          disabled={disabled}
          value={draft.description}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <p className="dim">
          Version {base.version}, changed <Timestamp value={base.updated_at} ago />
          {base.updated_by && ` by ${base.updated_by}`}
        </p>
      </div>
    </Panel>
  );
}
