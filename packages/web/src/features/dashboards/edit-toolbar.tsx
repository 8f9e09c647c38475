import { IconArrowBackUp, IconArrowForwardUp, IconPlus, IconVariable } from '@tabler/icons-react';
import { ActionIcon, Button, TextInput, Tooltip } from '../../ui/mantine.ts';
import classes from './dashboards.module.css';
import type { FreshPanel } from './draft.ts';
import type { Draft } from './use-draft.ts';

/** Name, new panels, undo and saving of a dashboard that is being edited. */
export function EditToolbar({
  draft: { model, isDirty, edit, undo, redo, save, saving },
  onAdd,
  onVariables,
  onSettings,
  onLeave,
}: {
  draft: Draft;
  onAdd: (type: FreshPanel) => void;
  onVariables: () => void;
  onSettings: () => void;
  /** Ends editing without saving. */
  onLeave: () => void;
}) {
  return (
    <div className={classes.toolbar} role="toolbar" aria-label="Edit the dashboard">
      <TextInput
        aria-label="Name of the dashboard"
        value={model.name}
        w={260}
        maxLength={200}
        onChange={(event) => {
          const { value } = event.currentTarget;
          edit((old) => ({ ...old, name: value }));
        }}
      />
      <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => onAdd('time_series')}>
        Panel
      </Button>
      <Button variant="default" onClick={() => onAdd('text')}>
        Text
      </Button>
      <Button variant="default" onClick={() => onAdd('row')}>
        Row
      </Button>
      <Button variant="default" leftSection={<IconVariable size={14} />} onClick={onVariables}>
        Variables
      </Button>
      <Button variant="default" onClick={onSettings}>
        Settings
      </Button>
      <UndoButtons undo={undo} redo={redo} />
      <span style={{ flex: 1 }} />
      <Button variant="default" onClick={onLeave}>
        {isDirty ? 'Discard' : 'Done'}
      </Button>
      <Button disabled={!isDirty || model.name.trim() === ''} loading={saving} onClick={() => void save()}>
        Save
      </Button>
    </div>
  );
}

function UndoButtons({ undo, redo }: Pick<Draft, 'undo' | 'redo'>) {
  return (
    <>
      <Tooltip label="Undo (Ctrl+Z)">
        <ActionIcon variant="default" aria-label="Undo" disabled={undo === undefined} onClick={undo}>
          <IconArrowBackUp size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Redo (Ctrl+Shift+Z)">
        <ActionIcon variant="default" aria-label="Redo" disabled={redo === undefined} onClick={redo}>
          <IconArrowForwardUp size={15} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
