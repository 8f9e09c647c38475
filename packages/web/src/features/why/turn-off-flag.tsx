import { abortRamp, getTargeting, setTargeting } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { routeQuery } from '../../api/queries.ts';
import { environmentsQuery, useCan, useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, Checkbox, Modal, Select, TextInput } from '../../ui/mantine.ts';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { type Targeting, toBody, toDraft } from '../flags/draft.ts';
import { refreshFlags, refreshTargeting } from '../flags/queries.ts';
import type { Environment } from '../flags/types.ts';
import { percentText } from '../flags/weights.ts';
import classes from './why-list.module.css';
import { runningText } from './why-words.ts';

interface Props {
  readonly flag: string;
  readonly project: string;
  /** The key of the environment of the alert, if that is known. */
  readonly environment: string | undefined;
  /** Suggested for the history of the flag. */
  readonly comment: string;
  /** `Stop` where nothing but the time speaks against the flag. */
  readonly verb: 'Turn off' | 'Stop';
  /** What runs on the flag, if that is known. */
  readonly running?: Parameters<typeof runningText>[0];
}

/** Stops what a flag does: rolls its ramp back, or else turns it off. Shows nothing to people who may not. */
export function TurnOffFlag(props: Props) {
  const [opened, setOpened] = useState(false);
  const canWrite = useCan('flags:write');
  if (!canWrite) return null;
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="default" size="xs" aria-label={`${props.verb} ${props.flag}`} onClick={() => setOpened(true)}>
        {props.verb}
      </Button>
      <Modal opened={opened} onClose={close} title={`${props.verb} ${props.flag}`} size={520}>
        {opened && <Where {...props} onClose={close} />}
      </Modal>
    </>
  );
}

function Where({ environment, ...props }: Props & { onClose: () => void }) {
  const { ws } = useScope();
  const { project } = props;
  const { data, error, refetch } = useQuery(environmentsQuery(ws, project));
  const [picked, setPicked] = useState(environment);
  if (error) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading the environments" />;
  const chosen = data.find(({ key }) => key === picked);
  return (
    <>
      <Select
        label="Environment"
        placeholder="Where to stop it"
        mb="md"
        value={chosen?.key ?? null}
        data={data.map(({ key, name }) => ({ value: key, label: name }))}
        onChange={(key) => key !== null && setPicked(key)}
      />
      {chosen && <State key={chosen.key} environment={chosen} {...props} />}
    </>
  );
}

function State({
  environment,
  ...props
}: Omit<Props, 'environment'> & { environment: Environment; onClose: () => void }) {
  const { ws } = useScope();
  const { flag, project } = props;
  const params = { ws, p: project, e: environment.key, key: flag };
  const targeting = useQuery({ ...routeQuery(getTargeting, { params }), staleTime: 0, refetchOnMount: 'always' });
  if (targeting.error) return <ErrorState compact error={targeting.error} onRetry={() => void targeting.refetch()} />;
  // What an earlier visit has loaded may have changed since.
  if (targeting.data === undefined || targeting.isFetching) return <Loading label="Loading the flag" />;
  if (!targeting.data.enabled)
    return (
      <Notice kind="info">
        {flag} is off in {environment.name}.{' '}
        <AppLink className={classes.link} to="/w/$ws/$project/flags/$key" params={{ ws, project, key: flag }}>
          Open the flag
        </AppLink>
      </Notice>
    );
  return <Confirm environment={environment} targeting={targeting.data} {...props} />;
}

function Confirm({
  flag,
  project,
  environment,
  comment: suggested,
  running = [],
  targeting,
  onClose,
}: Omit<Props, 'environment'> & { environment: Environment; targeting: Targeting; onClose: () => void }) {
  const { ws } = useScope();
  const { ramp } = targeting;
  const named = running.filter((one) => one.environment === environment.key && one.kind !== 'ramp');
  const disturbed = runningText(named) ?? heldText(targeting.holder);
  const guarded = ramp === null && environment.requires_approval;
  const canBypass = useCan('flags:bypass_approval') && guarded;
  const form = useForm({
    initial: { comment: suggested.slice(0, 2_000), bypass: false },
    submit: async ({ comment, bypass }) => {
      const params = { ws, p: project, e: environment.key, key: flag };
      if (ramp !== null) {
        await call(abortRamp, { params, body: { comment } });
        toastDone(`The ramp of ${flag} is rolled back in ${environment.name}`);
      } else {
        const body = toBody({ ...toDraft(targeting), enabled: false }, targeting.version, comment);
        const { status } = await call(setTargeting, { params, body: { ...body, bypass_approval: bypass } });
        toastDone(status === 202 ? 'The change waits for approval' : `${flag} is off in ${environment.name}`);
      }
      await Promise.all([refreshFlags(), refreshTargeting()]);
      onClose();
    },
  });
  const { bypass } = form.values;
  const action = ramp !== null ? 'Roll back' : guarded && !bypass ? 'Propose to turn off' : 'Turn off';
  return (
    <DialogForm form={form} action={action} onCancel={onClose}>
      <p>
        {ramp !== null
          ? `A ramp serves ${ramp.variant} to ${percentText(ramp.weight)}% in ${environment.name}. If you roll it back, everybody immediately gets what was served before.`
          : `${flag} is on in ${environment.name}. If you turn it off, everybody gets ${targeting.off_variant ?? 'the default of the code'}.`}
      </p>
      {disturbed !== null && <Notice kind="warning">{disturbed}</Notice>}
      {guarded && (
        <Notice kind="info">
          {environment.name} is protected: the change takes effect when someone else approves it.
        </Notice>
      )}
      {canBypass && (
        <Checkbox
          label="Turn off without approval"
          description="For emergencies. The audit log records who bypassed approval."
          checked={bypass}
          onChange={(event) => form.set('bypass', event.currentTarget.checked)}
        />
      )}
      <TextInput label="Comment" data-autofocus {...form.field('comment')} />
    </DialogForm>
  );
}

/** What serves the flag in place of its targeting, where its name is not known. */
function heldText(holder: Targeting['holder']): string | null {
  if (holder === null) return null;
  return `Turning it off disturbs ${holder.kind === 'experiment' ? 'an experiment' : 'a guarded release'} that runs on it.`;
}
