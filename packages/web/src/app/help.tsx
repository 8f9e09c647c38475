import { Kbd, Modal } from '../ui/mantine.ts';
import classes from './help.module.css';
import { shortcut } from './navigation.tsx';

/** The list of keyboard shortcuts, opened with `?`. */
export function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const keys: [string[], string][] = [
    [[shortcut('K')], 'Go to a page, flag, service or trace, or run a query'],
    [['/'], 'Focus the search or query field'],
    [['?'], 'Show this help'],
    [[shortcut('Enter')], 'Run the query in Explore'],
    [['↑', '↓'], 'Next and previous page in the navigation'],
    [['→'], 'Move from a page in the navigation to its pin'],
    [['↑', '↓'], 'Next and previous row of a table or a trace'],
    [['←', '→'], 'Next and previous control of a toolbar, a list or a row'],
    [['Enter'], 'Open the row'],
    [['s', 'Enter'], 'Silence the focused alert, or else the first, on the Alerts page'],
    [['←', '→'], 'Collapse or expand a span in a trace'],
    [['n', 'p'], 'Next and previous error of a trace'],
    [['Esc'], 'Close a panel or dialog'],
  ];
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <dl className={classes.keys}>
        {keys.map(([combination, meaning]) => (
          <div key={meaning}>
            <dt>
              {combination.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
