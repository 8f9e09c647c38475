import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  Input,
  type MantineColorsTuple,
  Modal,
  Notification,
  Tabs,
  Tooltip,
} from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#dde1fd',
  '#bcc3f9',
  '#98a2f4',
  '#7b86f0',
  '#6670ec',
  '#5560e6',
  '#444ecb',
  '#3b44b4',
  '#30389a',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#eff1f4',
  '#e2e6eb',
  '#d0d6de',
  '#b4bcc8',
  '#8a94a3',
  '#667180',
  '#4c5663',
  '#2f3743',
  '#171c24',
];

const dark: MantineColorsTuple = [
  '#e3e7ed',
  '#c3cad4',
  '#9aa5b4',
  '#6f7b8b',
  '#3a4452',
  '#2a323d',
  '#1c222b',
  '#151a21',
  '#0f1318',
  '#0a0d11',
];

const VARIABLES = {
  '--mantine-color-body': 'var(--f-bg)',
  '--mantine-color-text': 'var(--f-text)',
  '--mantine-color-dimmed': 'var(--f-dim)',
  '--mantine-color-error': 'var(--f-error)',
  '--mantine-color-placeholder': 'var(--f-faint)',
  '--mantine-color-anchor': 'var(--f-accent)',
  '--mantine-color-default': 'var(--f-panel)',
  '--mantine-color-default-hover': 'var(--f-hover)',
  '--mantine-color-default-border': 'var(--f-border-strong)',
  '--mantine-color-default-color': 'var(--f-text)',
};

/** Mantine's own colour variables point to the tokens of theme.css, which differ per colour scheme. */
export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: VARIABLES, dark: VARIABLES });

/** Mantine's theme: sizes on a 4 px grid, 13 px text, radius 6, borders in place of shadows. */
export const theme = createTheme({
  fontFamily: "Inter, system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "'JetBrains Mono', ui-monospace, 'SF Mono', Menlo, monospace",
  headings: { fontFamily: "Inter, system-ui, -apple-system, 'Segoe UI', sans-serif", fontWeight: '600' },
  colors: { indigo, gray, dark },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 6 },
  white: '#ffffff',
  black: '#171c24',
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '15px', xl: '18px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.45', xl: '1.35' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'md',
  shadows: { xs: 'none', sm: 'none', md: '0 6px 24px rgb(0 0 0 / 12%)', lg: 'none', xl: 'none' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    Button: Button.extend({
      vars: (_theme, props) => ({
        root: {
          '--button-height': props.size === 'xs' ? 'var(--f-control-small)' : 'var(--f-control)',
          '--button-padding-x': props.size === 'xs' ? '8px' : '12px',
          '--button-fz': props.size === 'xs' ? '12px' : '13px',
        },
      }),
      styles: { label: { fontWeight: 500 } },
    }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray' },
      vars: (_theme, props) => ({
        root: { '--ai-size': props.size === 'xs' ? 'var(--f-icon-small)' : 'var(--f-icon)' },
      }),
    }),
    Input: Input.extend({
      vars: (_theme, props) => {
        const height = props.size === 'xs' ? 'var(--f-input-small)' : 'var(--f-control)';
        return { wrapper: { '--input-height': height, '--input-size': height, '--input-fz': 'var(--f-input-text)' } };
      },
    }),
    InputWrapper: Input.Wrapper.extend({
      // What is optional says so; stars would be on nearly every field.
      defaultProps: { withAsterisk: false, inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      styles: {
        label: { fontSize: '12px', fontWeight: 500, marginBottom: 4 },
        description: { fontSize: '12px', marginTop: 4 },
        error: { fontSize: '12px', marginTop: 4 },
      },
    }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        transitionProps: { duration: 100, transition: 'fade' },
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    }),
    Drawer: Drawer.extend({
      defaultProps: {
        transitionProps: { duration: 120 },
        overlayProps: { backgroundOpacity: 0.2 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    // Objects in place of `extend`: importing these components would load them with the first page.
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { allowDeselect: false } },
    Tabs: Tabs.extend({ styles: { tab: { padding: '8px 12px' } } }),
    Textarea: { defaultProps: { autosize: true, minRows: 2 } },
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 250, transitionProps: { duration: 80 }, fz: 'sm' } }),
  },
});
