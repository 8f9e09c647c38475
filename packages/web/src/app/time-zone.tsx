import { useMemo, useState } from 'react';
import { currentZone, LOCAL, setZone, type TimeZone, zoneName } from '../ui/format/zone.ts';
import { Button, Group, Modal, Select, Stack } from '../ui/mantine.ts';
import { useTimeZone } from '../ui/time/use-time-zone.ts';
import { useMe } from './session.ts';

const keyOf = (userId: string) => `fanion-time-zone:${userId}`;

/** Writes times in the zone that the signed-in user chose in this browser. */
export function useChosenTimeZone(): void {
  const { user } = useMe();
  // Before the page below renders its first time.
  useMemo(() => setZone(recall(user.id)), [user.id]);
}

/** Chooses the zone of all times: that of this machine, UTC, or any other. */
export function TimeZoneDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Time zone">
      {opened && <TimeZoneForm onDone={onClose} />}
    </Modal>
  );
}

function TimeZoneForm({ onDone }: { onDone: () => void }) {
  const { user } = useMe();
  const [zone, setChosen] = useState(currentZone());
  const zones = useMemo(
    () => [
      { value: LOCAL, label: zoneName(LOCAL) },
      { value: 'UTC', label: 'UTC' },
      ...Intl.supportedValuesOf('timeZone')
        .filter((name) => name !== 'UTC')
        .map((name) => ({ value: name, label: name })),
    ],
    [],
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setZone(zone);
        remember(user.id, zone);
        onDone();
      }}
    >
      <Stack gap="md">
        <Select
          label="Show times in"
          description="Applies to all pages and charts, for your account in this browser"
          searchable
          nothingFoundMessage="No such time zone"
          data-autofocus
          value={zone}
          data={zones}
          onChange={(next) => next !== null && setChosen(next)}
        />
        <Group justify="flex-end">
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The chosen zone in the words of a menu: `Time zone: UTC`. */
export function TimeZoneLabel() {
  const zone = useTimeZone();
  return <>Time zone: {zone === LOCAL ? 'local' : zone}</>;
}

function recall(userId: string): TimeZone {
  try {
    return localStorage.getItem(keyOf(userId)) ?? LOCAL;
  } catch {
    return LOCAL;
  }
}

function remember(userId: string, zone: TimeZone): void {
  try {
    localStorage.setItem(keyOf(userId), zone);
  } catch {
    // Without storage, the choice holds until the application is closed.
  }
}
