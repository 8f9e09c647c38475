/** What somebody decided about an error. The name stays when the account goes. */
export interface ErrorGroupStateTable {
  project_id: string;
  /** A hash of type and stack. */
  group_id: string;
  state: 'open' | 'resolved' | 'ignored';
  comment: string | null;
  changed_at: Date;
  changed_by: string | null;
  changed_by_name: string;
}
