import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './code-block.module.css';
import { ActionIcon, MantineCopyButton, Tooltip } from './mantine.ts';

/** Copies a text and confirms it briefly, also for screen readers. */
export function CopyButton({
  value,
  label = 'Copy',
  size = 'sm',
}: {
  value: string;
  label?: string;
  size?: 'xs' | 'sm';
}) {
  return (
    <MantineCopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            onClick={copy}
            size={size}
            // Vertically centered next to text.
            style={{ verticalAlign: 'middle' }}
            color={copied ? 'teal' : 'gray'}
            aria-label={copied ? 'Copied' : label}
          >
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  );
}

/** Text to copy into a terminal or a file. `wrap` breaks long lines instead of scrolling. */
export function CodeBlock({
  code,
  title,
  label,
  wrap,
}: {
  code: string;
  title?: string;
  label?: string;
  wrap?: boolean;
}) {
  const name = label ?? title ?? 'code';
  return (
    <div className={`${classes.block} ${title ? classes.titled : ''} ${wrap ? classes.wrap : ''}`}>
      {title && <div className={classes.title}>{title}</div>}
      <section aria-label={name}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
        <pre tabIndex={0}>{code}</pre>
      </section>
      <div className={classes.copy}>
        <CopyButton value={code} label={`Copy ${name}`} />
      </div>
    </div>
  );
}
