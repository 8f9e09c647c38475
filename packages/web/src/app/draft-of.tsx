import { listAudit } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { call } from '../api/client.ts';
import { inWorkspace } from '../api/queries.ts';
import { DraftContext, type DraftState } from '../ui/draft-state.ts';
import { formatAgo } from '../ui/format/index.ts';
import { Button, Group } from '../ui/mantine.ts';
import { fieldChanges } from '../ui/stale.ts';
import { ChangeList, Notice } from '../ui/states.tsx';
import { useCan, useMe, useScope } from './session.ts';

interface Author {
  readonly id: string | null;
  readonly name: string;
}

/** What people edit. */
interface Saved {
  readonly id?: string;
  readonly version: number;
  readonly updated_at?: string | null;
  readonly updated_by?: string | Author | null;
}

/**
 * The editor of a document, with the version that it began with. A newer version replaces it, unless the editor holds
 * changes: then a notice says who saved, and offers to load theirs. The editor reports its changes with `useDraftState`;
 * forms made with `useForm` do.
 */
export function DraftOf<T extends Saved>({ resource, ...props }: DraftProps<T>) {
  const id = resource ?? props.document.id;
  // A draft never moves to another document.
  return <Draft key={id} resource={id} {...props} />;
}

interface DraftProps<T extends Saved> {
  /** As it is saved now. */
  document: T;
  /** Its id in the audit log, if it has none itself. */
  resource?: string | undefined;
  children: (base: T) => ReactNode;
}

function Draft<T extends Saved>({ document, resource, children }: DraftProps<T>) {
  const [base, setBase] = useState(document);
  const [forms, setForms] = useState<ReadonlyMap<string, DraftState>>(new Map());
  const states = new Set(forms.values());
  states.delete('untouched');
  // The newer version may arrive after somebody asks for it.
  const [isTaking, setIsTaking] = useState(false);
  const isNewer = document.version !== base.version;
  if (isNewer && (isTaking || states.size === 0)) {
    setBase(document);
    setIsTaking(false);
  }
  const take = useCallback(() => setIsTaking(true), []);
  const place = useMemo(
    () => ({
      report: (form: string, state: DraftState) => setForms((old) => new Map(old).set(form, state)),
      take,
    }),
    [take],
  );
  return (
    <DraftContext value={place}>
      {isNewer && states.size === 1 && states.has('edited') && (
        <NewerVersion base={base} saved={document} resource={resource} onTake={take} />
      )}
      <Fragment key={base.version}>{children(base)}</Fragment>
    </DraftContext>
  );
}

/** The same for an editor that keeps its draft itself: loads a newer version, or says that there is one. */
export function FollowSaved<T extends Saved>({
  isEdited,
  onTake,
  ...versions
}: Versions<T> & { isEdited: boolean; onTake: (saved: T) => void }) {
  const { base, saved } = versions;
  const isNewer = saved.version > base.version;
  useEffect(() => {
    if (isNewer && !isEdited) onTake(saved);
  });
  return isNewer && isEdited && <NewerVersion {...versions} onTake={() => onTake(saved)} />;
}

interface Versions<T extends Saved> {
  /** The version that is being edited. */
  base: T;
  /** As it is saved now. */
  saved: T;
  resource?: string | undefined;
  /** The version as the page shows it. */
  versionOf?: (document: T) => number;
}

function NewerVersion<T extends Saved>({
  base,
  saved,
  resource,
  versionOf = ({ version }) => version,
  onTake,
}: Versions<T> & { onTake: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const by = useSavedBy(saved, resource);
  const changes = fieldChanges(base, saved);
  return (
    <Notice kind="warning">
      Version {versionOf(saved)} was saved {agoText(saved.updated_at)} by {by}. You are editing version{' '}
      {versionOf(base)}.{isOpen && <ChangeList label="Their changes" changes={changes} />}
      <Group gap="xs" mt="xs">
        {changes.length > 0 && (
          <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            Show their changes
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onTake}>
          Discard mine, load theirs
        </Button>
      </Group>
    </Notice>
  );
}

const MINUTE_MS = 60_000;

function agoText(at: string | null | undefined): string {
  const now = Date.now();
  return at === null || at === undefined || now - Date.parse(at) < MINUTE_MS ? 'just now' : formatAgo(at, now);
}

/** Who saved a document. Those that do not say so themselves have an audit entry, for people who may read it. */
function useSavedBy({ version, updated_by }: Saved, resource = ''): string {
  const { user } = useMe();
  const { ws } = useScope();
  const isSilent = updated_by === undefined;
  const canRead = useCan('audit:read');
  const { data } = useQuery({
    queryKey: [listAudit.id, ws, resource, version],
    queryFn: ({ signal }) =>
      call(listAudit, { query: { ...inWorkspace(ws), resource_id: resource, limit: 1 }, signal }),
    enabled: isSilent && canRead && resource !== '',
  });
  if (typeof updated_by === 'string') return updated_by;
  const author = isSilent ? data?.data[0]?.actor : updated_by;
  return author?.id === user.id ? 'you, in another tab' : (author?.name ?? 'someone else');
}
