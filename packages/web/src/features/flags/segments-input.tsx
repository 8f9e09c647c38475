import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { TagsInput } from '../../ui/mantine.ts';
import { segmentsQuery } from './queries.ts';

/** Picks segments by key and reports unknown ones before they are saved. */
export function SegmentsInput({
  label,
  value,
  disabled,
  error,
  onChange,
}: {
  label: string;
  value: string[];
  disabled: boolean;
  error: string | undefined;
  onChange: (value: string[]) => void;
}) {
  const { ws, project } = useScope();
  const { data: segments } = useQuery(segmentsQuery(ws, project));
  const names = new Map(segments?.map(({ key, name }) => [key, name]));
  const unknown = segments === undefined ? undefined : value.find((key) => !names.has(key));
  return (
    <TagsInput
      aria-label={label}
      placeholder={value.length === 0 ? 'Pick a segment' : ''}
      disabled={disabled}
      error={error ?? (unknown === undefined ? undefined : `Segment ${unknown} does not exist`)}
      acceptValueOnBlur
      comboboxProps={{ width: 320, position: 'bottom-start' }}
      data={[...names.keys()]}
      renderOption={({ option }) => (
        <span className="truncate">
          <span className="mono">{option.value}</span>{' '}
          {names.get(option.value) !== option.value && <span className="dim">{names.get(option.value)}</span>}
        </span>
      )}
      value={value}
      onChange={onChange}
    />
  );
}
