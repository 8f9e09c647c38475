import { bodyLimits } from '@fanion/contract';
import { type DragEvent, useState } from 'react';
import { formatBytes } from '../../ui/format/index.ts';
import { Button, FileButton, Group, Textarea } from '../../ui/mantine.ts';
import classes from './dashboards.module.css';

const MOST_BYTES = bodyLimits.document.bytes;

/** Takes the JSON of a dashboard from a file, by dropping one, or as text. */
export function ImportSource({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | null;
  onChange: (json: string) => void;
}) {
  const [file, setFile] = useState<{ name: string; problem: string | null } | null>(null);
  const [isOver, setIsOver] = useState(false);
  async function read(given: File | null | undefined) {
    if (!given) return;
    const problem =
      given.size > MOST_BYTES
        ? `${given.name} has ${formatBytes(given.size)}. A dashboard has at most ${formatBytes(MOST_BYTES)}.`
        : null;
    onChange(problem === null ? await given.text() : '');
    setFile({ name: given.name, problem });
  }
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void read(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a shortcut for the button within
    <div
      className={classes.source}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Group gap="sm">
        <FileButton accept="application/json,.json" onChange={(given) => void read(given)}>
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <span className="dim">{file?.problem === null ? file.name : 'or drop one here, or paste its text'}</span>
      </Group>
      <Textarea
        label="JSON"
        description="As the page of a dashboard exports it, or of Grafana"
        autosize
        minRows={8}
        maxRows={16}
        data-autofocus
        styles={{ input: { fontFamily: 'var(--f-mono)' } }}
        value={value}
        onChange={(event) => {
          setFile(null);
          onChange(event.currentTarget.value);
        }}
        error={file?.problem ?? error}
      />
    </div>
  );
}
