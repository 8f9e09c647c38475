import type { QueryLanguage } from '@fanion/contract';
import {
  IconBell,
  IconBulb,
  IconDeviceFloppy,
  IconFolderOpen,
  IconLayoutDashboard,
  IconTargetArrow,
} from '@tabler/icons-react';
import { sloSearchOf } from '../../alerting/slo-search.ts';
import { useCan, useScope } from '../../app/session.ts';
import { IconLink } from '../../ui/link.tsx';
import { ActionIcon, Tooltip } from '../../ui/mantine.ts';

/** What can be done with a query beside running it. */
export function QueryActions({
  draft,
  language,
  onLibrary,
  onSave,
  onAdd,
  onExplain,
}: {
  draft: string;
  language: QueryLanguage;
  onLibrary: () => void;
  onSave: () => void;
  onAdd: () => void;
  onExplain: () => void;
}) {
  const canSave = useCan('dashboards:write');
  const isEmpty = draft.trim() === '';
  return (
    <>
      <Action label="Queries" icon={IconFolderOpen} onClick={onLibrary} />
      {canSave && (
        <>
          <Action label="Save" icon={IconDeviceFloppy} disabled={isEmpty} onClick={onSave} />
          <Action label="Add to dashboard" icon={IconLayoutDashboard} disabled={isEmpty} onClick={onAdd} />
        </>
      )}
      <QueryLinks draft={draft} language={language} />
      {language === 'oql' && <Action label="Explain" icon={IconBulb} disabled={isEmpty} onClick={onExplain} />}
    </>
  );
}

/** Links that make an alert rule or an SLO of the query. */
function QueryLinks({ draft, language }: { draft: string; language: QueryLanguage }) {
  const scope = useScope();
  const canAlert = useCan('alerts:write');
  const canWrite = useCan('dashboards:write');
  return (
    <>
      {canAlert && (
        <Tooltip label="Create alert">
          <IconLink
            size="md"
            aria-label="Create alert"
            to="/w/$ws/$project/alerts/rules/new"
            params={scope}
            search={{ q: draft.trim(), lang: language === 'oql' ? undefined : language }}
          >
            <IconBell size={17} stroke={1.6} />
          </IconLink>
        </Tooltip>
      )}
      {canWrite && (
        <Tooltip label="Create SLO">
          <IconLink
            size="md"
            aria-label="Create SLO"
            to="/w/$ws/$project/slos/new"
            params={scope}
            search={sloSearchOf(draft, language)}
          >
            <IconTargetArrow size={17} stroke={1.6} />
          </IconLink>
        </Tooltip>
      )}
    </>
  );
}

/** An action on the query: its icon, with its name as a tooltip. */
function Action({
  label,
  icon: Icon,
  disabled = false,
  onClick,
}: {
  label: string;
  icon: typeof IconBulb;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="md" aria-label={label} disabled={disabled} onClick={onClick}>
        <Icon size={17} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
