import { type DashboardVariable, listFlags } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { DialogEnd } from '../../ui/dialog-end.tsx';
import { Modal, Select, Stack } from '../../ui/mantine.ts';

/** Chooses the flag whose variants a panel shows apart: one of the project's, or the one that a variable chooses. */
export function SplitPicker({
  value,
  definitions,
  onChange,
}: {
  value: string | undefined;
  definitions: readonly DashboardVariable[];
  onChange: (flag: string | undefined) => void;
}) {
  const { ws, project } = useScope();
  const { data = [] } = useQuery(listQuery(listFlags, { params: { ws, p: project } }));
  const variables = definitions.filter(({ type }) => type === 'flag').map(({ name }) => `$${name}`);
  const flags = [...new Set([...variables, ...data.map(({ key }) => key), ...(value === undefined ? [] : [value])])];
  return (
    <Select
      allowDeselect
      label="Split by flag"
      description="Shows the requests of each variant apart. Requests that did not evaluate the flag are left out."
      placeholder="Not split"
      searchable
      clearable
      nothingFoundMessage="No such flag"
      value={value ?? null}
      data={flags}
      onChange={(flag) => onChange(flag ?? undefined)}
    />
  );
}

/** Asks for the flag to split one panel by. */
export function SplitDialog({
  panel,
  definitions,
  onClose,
  onSplit,
}: {
  /** Null: closed. */
  panel: { readonly id: string; readonly name: string; readonly flag: string | undefined } | null;
  definitions: readonly DashboardVariable[];
  onClose: () => void;
  onSplit: (id: string, flag: string | undefined) => void;
}) {
  return (
    <Modal opened={panel !== null} onClose={onClose} title={panel?.name} centered={false}>
      {panel && (
        <Choice
          key={panel.id}
          flag={panel.flag}
          definitions={definitions}
          onClose={onClose}
          onChoose={(flag) => {
            onSplit(panel.id, flag);
            onClose();
          }}
        />
      )}
    </Modal>
  );
}

function Choice({
  flag: initial,
  definitions,
  onClose,
  onChoose,
}: {
  flag: string | undefined;
  definitions: readonly DashboardVariable[];
  onClose: () => void;
  onChoose: (flag: string | undefined) => void;
}) {
  const [flag, setFlag] = useState(initial);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(flag);
      }}
    >
      <Stack gap="md">
        <SplitPicker value={flag} definitions={definitions} onChange={setFlag} />
        <DialogEnd action={flag === undefined ? 'Do not split' : 'Split'} onCancel={onClose} />
      </Stack>
    </form>
  );
}
