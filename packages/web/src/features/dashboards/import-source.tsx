import { bodyLimits } from '@fanion/contract';
import { type DragEvent, type ReactNode, useState } from 'react';
import { formatBytes } from '../../ui/format/index.ts';
import { Button, FileButton, Group, Textarea, TextInput } from '../../ui/mantine.ts';
import classes from './dashboards.module.css';

const MOST_BYTES = bodyLimits.document.bytes;

interface Given {
  value: string;
  error: string | undefined;
}

/** Takes the JSON of a dashboard from a file, by dropping one, from a URL, or as text. Each replaces the others. */
export function ImportSource({
  json,
  url,
  onChange,
}: {
  json: Given;
  url: Given;
  onChange: (values: { json: string; url: string }) => void;
}) {
  const [file, setFile] = useState<{ name: string; problem: string | null } | null>(null);
  async function read(given: File | null | undefined) {
    if (!given) return;
    const problem = sizeProblem(given);
    onChange({ json: problem === null ? await given.text() : '', url: '' });
    setFile({ name: given.name, problem });
  }
  return (
    <DropZone onFile={(given) => void read(given)}>
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
      <TextInput
        label="URL"
        description="Of a JSON file that the server can read, or of a dashboard on grafana.com"
        placeholder="https://grafana.com/grafana/dashboards/1860-node-exporter-full/"
        inputMode="url"
        spellCheck={false}
        {...url}
        onChange={(event) => {
          setFile(null);
          onChange({ json: '', url: event.currentTarget.value });
        }}
      />
      <Textarea
        label="JSON"
        description="As the page of a dashboard exports it, or of Grafana"
        minRows={8}
        maxRows={16}
        data-autofocus
        styles={{ input: { fontFamily: 'var(--f-mono)' } }}
        value={json.value}
        onChange={(event) => {
          setFile(null);
          onChange({ json: event.currentTarget.value, url: '' });
        }}
        error={file?.problem ?? json.error}
      />
    </DropZone>
  );
}

function sizeProblem({ name, size }: File): string | null {
  if (size <= MOST_BYTES) return null;
  return `${name} has ${formatBytes(size)}. A dashboard has at most ${formatBytes(MOST_BYTES)}.`;
}

function DropZone({ onFile, children }: { onFile: (file: File | undefined) => void; children: ReactNode }) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    onFile(event.dataTransfer.files[0]);
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
      {children}
    </div>
  );
}
