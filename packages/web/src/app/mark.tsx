/** Fanion's mark, a surveyor's flag. */
export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false" style={{ flex: 'none' }}>
      <rect width="32" height="32" rx="7" fill="var(--f-accent-fill)" />
      <path d="M9.5 6.5v19" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      <path d="M11.5 8h12.2l-4 5 4 5H11.5z" fill="#fff" />
    </svg>
  );
}
