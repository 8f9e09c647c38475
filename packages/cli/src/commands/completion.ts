import { UsageError } from '../files/connection-options.ts';
import { type Command, optionsOf } from './command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** @param commands all there are, this one included */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  operands: shells.join('|'),
  summary: 'print a script that completes commands and options in a shell',
  example: 'source <(fanion completion bash)',
  options: {},
  notes: 'zsh: source <(fanion completion zsh); fish: fanion completion fish | source',
  async run({ operands }, terminal) {
    const [shell, ...more] = operands;
    const known = shells.find((one) => one === shell);
    if (known === undefined || more.length > 0) throw new UsageError(`name the shell: ${shells.join(', ')}`);
    const firsts = [...new Set(commands().map(({ name }) => name.split(' ')[0] ?? ''))];
    const words = firsts.map((first) => ({ first, ...followersOf(first, commands()) }));
    terminal.out(known === 'fish' ? fish(words) : bash(words, known));
    return 0;
  },
});

type Words = readonly ({ readonly first: string } & ReturnType<typeof followersOf>)[];

/** What can follow the first word of a command: the second words of those that have two, and options. */
function followersOf(first: string, commands: readonly Command[]) {
  const those = commands.filter(({ name }) => name === first || name.startsWith(`${first} `));
  const seconds = those.flatMap(({ name }) => name.split(' ')[1] ?? []);
  return { seconds, options: [...new Set(those.flatMap((command) => Object.keys(optionsOf(command))))] };
}

function bash(words: Words, shell: 'bash' | 'zsh'): string {
  const cases = words.map(({ first, seconds, options }) => {
    const all = [...seconds, ...options.map((name) => `--${name}`), '--help'];
    return `    ${first}) words="${all.join(' ')}" ;;`;
  });
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_fanion() {
  local words="${[...words.map(({ first }) => first), 'help'].join(' ')}"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fanion fanion`;
}

function fish(words: Words): string {
  const firsts = [...words.map(({ first }) => first), 'help'].join(' ');
  const lines = words.flatMap(({ first, seconds, options }) => [
    ...(seconds.length === 0
      ? []
      : [`complete -c fanion -n '__fish_seen_subcommand_from ${first}' -f -a '${seconds.join(' ')}'`]),
    ...options.map((option) => `complete -c fanion -n '__fish_seen_subcommand_from ${first}' -l ${option}`),
  ]);
  return [`complete -c fanion -n '__fish_use_subcommand' -f -a '${firsts}'`, ...lines].join('\n');
}
