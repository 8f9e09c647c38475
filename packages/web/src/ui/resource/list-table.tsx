import { type LinkProps, useNavigate, useSearch } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { DataTable, type DataTableProps } from '../data-table.tsx';
import { AppLink } from '../link.tsx';
import { Panel } from '../page.tsx';
import classes from './list-table.module.css';
import { SearchBox } from './search-box.tsx';

/** The rows whose text has all words that the address of the page searches for. */
export function useFound<Row>(rows: readonly Row[], textOf: (row: Row) => string): readonly Row[] {
  const { q = '' }: { q?: string } = useSearch({ strict: false });
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Filters the rows of a page, see `useFound`. */
export function Search(look: Omit<ComponentProps<typeof SearchBox>, 'value'>) {
  const { q = '' }: { q?: string } = useSearch({ strict: false });
  return <SearchBox {...look} value={q} />;
}

/** The table of a list in a panel. Each row opens its own page. */
export function ListTable<Row>({
  title,
  actions,
  opens,
  ...table
}: Omit<DataTableProps<Row>, 'onRowClick'> & {
  title?: string;
  /** At the right of the title. */
  actions?: ReactNode;
  /** The page of a row: `linkOptions({ to, params })`. */
  opens: (row: Row) => LinkProps;
}) {
  const navigate = useNavigate();
  return (
    <Panel title={title} actions={actions} tight>
      <DataTable {...table} onRowClick={(row) => void navigate(opens(row))} />
    </Panel>
  );
}

/** The name of a row, which links to its page, above a line about it. */
export function Named({ page, name, children }: { page: LinkProps; name: string; children?: ReactNode }) {
  return (
    <span className={classes.name}>
      <AppLink {...page}>{name}</AppLink>
      {children}
    </span>
  );
}

/** The query of a row in that line. */
export function QueryLine({ children }: { children: string }) {
  return (
    <span className={`${classes.query} truncate`} title={children}>
      {children}
    </span>
  );
}
