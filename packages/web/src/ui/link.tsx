import type { ActionIconProps, ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { ActionIcon, Anchor, Button } from './mantine.ts';

/** A text link to a page. */
export const AppLink = createLink((props: ComponentProps<'a'>) => <Anchor {...props} />);

type ButtonLinkProps = Omit<ComponentProps<'a'>, keyof ButtonProps> & ButtonProps;

/** A link that looks like a button, for the one next step of a page. */
export const ButtonLink = createLink((props: ButtonLinkProps) => <Button component="a" {...props} />);

type IconLinkProps = Omit<ComponentProps<'a'>, keyof ActionIconProps> & ActionIconProps & { 'aria-label': string };

/** A link that looks like an icon button. */
export const IconLink = createLink((props: IconLinkProps) => <ActionIcon component="a" {...props} />);
