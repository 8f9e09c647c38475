import { promoteTargeting, type RouteResponse } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { environmentsQuery, useScope } from '../../app/session.ts';
import { DialogEnd } from '../../ui/dialog-end.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, Modal, Select, Stack, Textarea } from '../../ui/mantine.ts';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { affectedBy } from './affected.ts';
import { AffectedList } from './affected-list.tsx';
import { ChangeTable } from './change-table.tsx';
import { describeDifferences, ruleNames } from './difference-words.ts';
import { type Targeting, toDraft } from './draft.ts';
import { refreshFlags, refreshTargeting } from './queries.ts';
import type { Environment } from './types.ts';

interface Props {
  flag: string;
  from: Environment;
  /** The saved targeting of the source environment. */
  source: Targeting;
  onClose: () => void;
}

/** Copies the targeting of one environment to another after showing the differences. */
export function PromoteDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.onClose} title={`Promote ${props.flag} from ${props.from.name}`} size={640}>
      {opened && <PromoteForm {...props} />}
    </Modal>
  );
}

type Promotion = RouteResponse<typeof promoteTargeting>;

/** The dry run of a promotion to an environment, and the form that writes it. */
function usePromotion({ flag, from, source, onClose }: Props, to: Environment | undefined, withSwitch: boolean) {
  const { ws, project } = useScope();
  const params = { ws, p: project, e: from.key, key: flag };
  const what = { to: to?.key ?? '', include_enabled: withSwitch };
  const dryRun = useQuery({
    queryKey: [promoteTargeting.id, params, what, source.version],
    enabled: to !== undefined,
    // Always a fresh preview, never the one from the last time the dialog was open.
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Promotion> =>
      (await call(promoteTargeting, { params, body: { ...what, dry_run: true }, signal })).data,
  });
  const form = useForm({
    initial: { comment: '' },
    submit: async ({ comment }) => {
      const { status } = await call(promoteTargeting, {
        params,
        body: {
          ...what,
          // The version that was previewed: a change in between is a conflict.
          ...(dryRun.data && { version: dryRun.data.targeting.version }),
          ...(comment.trim() !== '' && { comment: comment.trim() }),
        },
      });
      await Promise.all([refreshFlags(), refreshTargeting()]);
      toastDone(status === 202 ? 'The change waits for approval' : `${flag} is promoted to ${to?.name}`);
      onClose();
    },
  });
  return { dryRun, form };
}

function PromoteForm(props: Props) {
  const { flag, from, source, onClose } = props;
  const { ws, project } = useScope();
  const { data: environments = [] } = useQuery(environmentsQuery(ws, project));
  const others = environments.filter(({ key }) => key !== from.key);
  const [chosen, setChosen] = useState<string | null>(null);
  const to = others.find(({ key }) => key === chosen) ?? others[0];
  const [withSwitch, setWithSwitch] = useState(false);
  const { dryRun, form } = usePromotion(props, to, withSwitch);
  if (to === undefined) return <p className="dim">This project has no other environment to promote to.</p>;
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        <Select
          label="To"
          data-autofocus
          value={to.key}
          data={others.map(({ key, name }) => ({ value: key, label: name }))}
          onChange={setChosen}
        />
        <Checkbox
          label="Copy the on/off switch too"
          description={`Otherwise ${flag} keeps its on/off state in ${to.name}.`}
          checked={withSwitch}
          onChange={(event) => setWithSwitch(event.currentTarget.checked)}
        />
        {dryRun.data ? (
          <Preview flag={flag} source={source} promotion={dryRun.data} to={to} withSwitch={withSwitch} />
        ) : (
          dryRun.isPending && <Loading />
        )}
        {to.requires_approval && (
          <Notice kind="info">{to.name} is protected: the change takes effect when someone else approves it.</Notice>
        )}
        <Textarea label="Comment" placeholder={`promoted from ${from.key}`} {...form.field('comment')} />
        <ErrorNotice error={form.error ?? dryRun.error} />
        <DialogEnd
          action={to.requires_approval ? 'Propose change' : `Promote to ${to.name}`}
          onCancel={onClose}
          loading={form.pending}
          disabled={dryRun.data === undefined || dryRun.isPlaceholderData || dryRun.data.diff.length === 0}
        />
      </Stack>
    </form>
  );
}

/** What a promotion changes, and who is affected. */
function Preview({
  flag,
  source,
  promotion: { targeting: before, diff },
  to,
  withSwitch,
}: Pick<Props, 'flag' | 'source'> & { promotion: Promotion; to: Environment; withSwitch: boolean }) {
  const names = useMemo(() => ruleNames(source), [source]);
  const affected = useMemo(
    () => affectedBy(toDraft(before), toDraft({ ...source, enabled: withSwitch ? source.enabled : before.enabled })),
    [before, source, withSwitch],
  );
  return (
    <>
      <ChangeTable label={`Changes in ${to.name}`} changes={describeDifferences(diff, names)} />
      {diff.length > 0 && <AffectedList flag={flag} affected={affected} environment={to.name} />}
    </>
  );
}
