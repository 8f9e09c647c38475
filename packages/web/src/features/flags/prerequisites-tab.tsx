import { type getPrerequisites, type RouteResponse, setPrerequisites } from '@fanion/contract';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { environmentsQuery, useCan, useScope } from '../../app/session.ts';
import { useForm } from '../../ui/form.ts';
import { ActionIcon, Button, Checkbox, Group, Select, Stack, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { saveOver } from '../../ui/stale.ts';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { ChangeTable } from './change-table.tsx';
import type { Change } from './diff.ts';
import { uid } from './draft.ts';
import classes from './prerequisites.module.css';
import { PrerequisitesGraph } from './prerequisites-graph.tsx';
import { flagsQuery, prerequisitesQuery, refreshFlags } from './queries.ts';
import type { Flag } from './types.ts';

type Prerequisites = RouteResponse<typeof getPrerequisites>;
interface Row {
  uid: string;
  flag: string;
  variants: string[];
}

/** The variants that other flags must serve for this flag to be on, in all environments, and the flags that require this one. */
export function PrerequisitesTab({ flag }: { flag: Flag }) {
  const { ws, project } = useScope();
  const prerequisites = useQuery(prerequisitesQuery(ws, project, flag.key));
  return (
    <div className={classes.tab}>
      <Panel title="Flag dependencies">
        <PrerequisitesGraph flag={flag.key} />
      </Panel>
      <Loaded query={prerequisites}>
        {(data) => (
          <DraftOf document={data} resource={flag.id}>
            {(base) => <Editor flag={flag} prerequisites={base} />}
          </DraftOf>
        )}
      </Loaded>
    </div>
  );
}

function rowsOf({ prerequisites }: Prerequisites): Row[] {
  return prerequisites.map((required) => ({ uid: uid(), ...required }));
}

function usePrerequisitesForm(flag: Flag, prerequisites: Prerequisites) {
  const { ws, project } = useScope();
  return useForm({
    initial: {
      rows: rowsOf(prerequisites),
      comment: '',
    },
    submit: async ({ rows, comment }) => {
      const written = call(setPrerequisites, {
        params: { ws, p: project, key: flag.key },
        body: {
          prerequisites: rows.map(({ flag: required, variants }) => ({ flag: required, variants })),
          version: prerequisites.version,
          ...(comment.trim() !== '' && { comment: comment.trim() }),
        },
      });
      const { status } = await saveOver(prerequisites, written);
      toastDone(status === 202 ? 'The change waits for approval' : `Prerequisites of ${flag.key} saved`);
      await refreshFlags();
    },
  });
}

/** The environments in which a flag is on, and those of them in which changes wait for approval. */
function useReach(flag: Flag) {
  const { ws, project } = useScope();
  const { data: environments = [] } = useQuery(environmentsQuery(ws, project));
  const on = environments.filter((environment) =>
    flag.environments.some((state) => state.environment === environment.key && state.enabled),
  );
  const guarded = on.filter((environment) => environment.requires_approval);
  return { on, guarded };
}

function Editor({ flag, prerequisites }: { flag: Flag; prerequisites: Prerequisites }) {
  const { ws, project } = useScope();
  const disabled = !useCan('flags:write') || flag.archived;
  const { data: flags = [] } = useQuery(flagsQuery(ws, project, false));
  const form = usePrerequisitesForm(flag, prerequisites);
  const { rows } = form.values;
  const setRows = (next: Row[]) => form.set('rows', next);
  const edit = (index: number, change: Partial<Row>) =>
    setRows(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  const changes = diffPrerequisites(prerequisites.prerequisites, rows);
  const incomplete = rows.some((row) => row.flag === '' || row.variants.length === 0);
  const taken = new Set(rows.map((row) => row.flag));
  const { on, guarded } = useReach(flag);
  return (
    <Panel
      title="Prerequisites"
      actions={
        !disabled && <AddPrerequisite onAdd={() => setRows([...rows, { uid: uid(), flag: '', variants: [] }])} />
      }
    >
      <form onSubmit={form.onSubmit}>
        <Stack gap="md">
          <p className="dim">
            If one of them is off or serves another variant, <code>{flag.key}</code> serves its off variant.
          </p>
          {rows.length === 0 && <p className="dim">None: this flag does not depend on other flags.</p>}
          {rows.map((row, index) => (
            <PrerequisiteRow
              key={row.uid}
              number={index + 1}
              row={row}
              flags={flags.filter(({ key }) => key === row.flag || (key !== flag.key && !taken.has(key)))}
              disabled={disabled}
              onChange={(change) => edit(index, change)}
              onRemove={() => setRows(rows.filter((_, at) => at !== index))}
            />
          ))}
          {changes.length > 0 && (
            <>
              <ChangeTable label="Changes" changes={changes} />
              <Affected flag={flag.key} on={on} guarded={guarded} dependents={prerequisites.dependents} />
              <TextInput label="Comment" placeholder="Reason, shown in the history" {...form.field('comment')} />
            </>
          )}
          <ErrorNotice error={form.error} />
          {changes.length > 0 && (
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={() => setRows(rowsOf(prerequisites))}>
                Discard
              </Button>
              <Button type="submit" loading={form.pending} disabled={incomplete}>
                {guarded.length > 0 ? 'Propose change' : 'Save prerequisites'}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  );
}

function AddPrerequisite({ onAdd }: { onAdd: () => void }) {
  return (
    <Button variant="subtle" size="xs" leftSection={<IconPlus size={14} />} onClick={onAdd}>
      Add prerequisite
    </Button>
  );
}

function PrerequisiteRow({
  number,
  row,
  flags,
  disabled,
  onChange,
  onRemove,
}: {
  number: number;
  row: Row;
  flags: readonly Flag[];
  disabled: boolean;
  onChange: (change: Partial<Row>) => void;
  onRemove: () => void;
}) {
  const required = flags.find((candidate) => candidate.key === row.flag);
  const variants = required?.variants.map(({ key }) => key) ?? row.variants;
  return (
    <div className={classes.row}>
      <Select
        aria-label={`Prerequisite ${number}: flag`}
        placeholder="Flag"
        searchable
        disabled={disabled}
        value={row.flag === '' ? null : row.flag}
        data={[...new Set([...(row.flag === '' ? [] : [row.flag]), ...flags.map(({ key }) => key)])]}
        onChange={(next) => next !== null && onChange({ flag: next, variants: [] })}
      />
      <fieldset className={classes.variants} aria-label={`Prerequisite ${number}: variants`}>
        <span className="dim">serves</span>
        {variants.map((variant) => (
          <Checkbox
            key={variant}
            label={variant}
            disabled={disabled}
            checked={row.variants.includes(variant)}
            onChange={(event) => {
              const { checked } = event.currentTarget;
              onChange({
                variants: variants.filter((one) => (one === variant ? checked : row.variants.includes(one))),
              });
            }}
          />
        ))}
      </fieldset>
      {!disabled && (
        <ActionIcon aria-label={`Remove prerequisite ${number}`} onClick={onRemove}>
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      )}
    </div>
  );
}

interface Named {
  name: string;
}

/** Whom a change of the prerequisites affects, and who must approve it. */
function Affected({
  flag,
  on,
  guarded,
  dependents,
}: {
  flag: string;
  on: readonly Named[];
  guarded: readonly Named[];
  dependents: readonly string[];
}) {
  return (
    <Notice kind={on.length > 0 ? 'warning' : 'info'}>
      {on.length === 0
        ? `${flag} is off everywhere: nobody is affected until you turn it on.`
        : `Affected immediately: everybody who is served ${flag} in ${on.map(({ name }) => name).join(', ')}.`}
      {dependents.length > 0 && ` Flags that require it: ${dependents.join(', ')}.`}
      {guarded.length > 0 && ` ${guarded.map(({ name }) => name).join(', ')} is protected: someone else must approve.`}
    </Notice>
  );
}

function diffPrerequisites(
  before: readonly { flag: string; variants: readonly string[] }[],
  after: readonly { flag: string; variants: readonly string[] }[],
): Change[] {
  const text = (required: { variants: readonly string[] } | undefined) =>
    required === undefined ? null : `serves ${required.variants.join(' or ') || '…'}`;
  const flags = new Set([...before, ...after].map(({ flag }) => flag));
  return [...flags]
    .map((flag) => ({
      what: flag === '' ? 'New' : flag,
      before: text(before.find((required) => required.flag === flag)),
      after: text(after.find((required) => required.flag === flag)),
    }))
    .filter((change) => change.before !== change.after);
}
