import type { QueryLanguage } from '@fanion/contract';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { countOf } from '../../ui/format/index.ts';
import { Button } from '../../ui/mantine.ts';
import { saveFile } from '../../ui/save-file.ts';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { type FileForm, fetchFile, fileForms, fileRows, rowsOf } from './download.ts';

/** Runs the query again and downloads all rows as a file. */
export function useDownload(query: string, language: QueryLanguage) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  return useMutation({
    mutationFn: async (form: FileForm) => {
      const blob = await fetchFile(
        { ws, query, query_language: language, project, environment, from: range.from, to: range.to },
        form,
      );
      saveFile(blob, fileForms[form].file);
      return rowsOf(await blob.text(), form);
    },
  });
}
type Download = ReturnType<typeof useDownload>;

export function DownloadButtons({ download, disabled }: { download: Download; disabled: boolean }) {
  return (['csv', 'ndjson'] as const).map((form) => (
    <Button
      key={form}
      variant="subtle"
      color="gray"
      size="xs"
      leftSection={<IconDownload size={14} stroke={1.6} />}
      aria-label={`Download as ${fileForms[form].label}`}
      title={`All rows, at most ${countOf(fileRows, 'row')}`}
      disabled={disabled || download.isPending}
      loading={download.isPending && download.variables === form}
      onClick={() => download.mutate(form)}
    >
      {fileForms[form].label}
    </Button>
  ));
}

/** Reports a failed or incomplete download. */
export function DownloadNotice({ download }: { download: Download }) {
  if (download.isError) return <ErrorNotice error={download.error} />;
  if (download.data === undefined || download.data < fileRows) return null;
  return (
    <Notice kind="warning">
      The file ends after {countOf(download.data, 'row')}; there may be more. The API returns up to ten million.
    </Notice>
  );
}
