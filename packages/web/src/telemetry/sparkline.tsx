/** A row's history: a line without axes, with gaps; a value between gaps is a dot. Values are scaled from zero to the largest. */
export function Sparkline({
  values,
  colour,
  label,
  width = 120,
  height = 22,
}: {
  values: readonly (number | null)[];
  colour: string;
  label: string;
  width?: number;
  height?: number;
}) {
  const max = Math.max(...values.map((value) => value ?? 0), 0);
  // Room for a dot at both ends.
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0;
  let path = '';
  let drawing = false;
  values.forEach((value, index) => {
    if (value === null || max === 0) {
      drawing = false;
      return;
    }
    path += `${drawing ? 'L' : 'M'}${(1 + index * step).toFixed(1)} ${(height - 2 - (value / max) * (height - 4)).toFixed(1)}${drawing ? '' : 'h0'}`;
    drawing = true;
  });
  return (
    <svg width={width} height={height} role="img" aria-label={label} style={{ display: 'block' }}>
      <title>{label}</title>
      <line x1={0} x2={width} y1={height - 1.5} y2={height - 1.5} stroke="var(--f-border)" />
      <path d={path} fill="none" stroke={colour} strokeWidth={1.5} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
