import { UsageError } from '../files/connection-options.ts';
import { type Command, optionsOf } from './command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** @param commands all there are, this one included */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  operands: shells.join('|'),
  summary: 'print a script that completes commands and options in a shell',
  options: {},
  notes: 'bash and zsh: source <(fanion completion bash); fish: fanion completion fish | source',
  async run({ operands }, terminal) {
    const [shell, ...more] = operands;
    const known = shells.find((one) => one === shell);
    if (known === undefined || more.length > 0) throw new UsageError(`name the shell: ${shells.join(', ')}`);
    const words = commands().map((command) => ({
      first: command.name.split(' ')[0] ?? '',
      name: command.name,
      options: Object.keys(optionsOf(command)).map((name) => `--${name}`),
    }));
    terminal.out(known === 'fish' ? fish(words) : bash(words, known));
    return 0;
  },
});

type Words = readonly { readonly first: string; readonly name: string; readonly options: readonly string[] }[];

function bash(words: Words, shell: 'bash' | 'zsh'): string {
  const cases = words.map(({ first, name, options }) => {
    const rest = name === first ? [] : [name.slice(first.length + 1)];
    return `    ${first}) words="${[...rest, ...options, '--help'].join(' ')}" ;;`;
  });
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_fanion() {
  local words="${[...new Set(words.map(({ first }) => first)), 'help'].join(' ')}"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fanion fanion`;
}

function fish(words: Words): string {
  const firsts = [...new Set(words.map(({ first }) => first)), 'help'].join(' ');
  const lines = words.flatMap(({ first, options }) =>
    options.map((option) => `complete -c fanion -n '__fish_seen_subcommand_from ${first}' -l ${option.slice(2)}`),
  );
  return [`complete -c fanion -n '__fish_use_subcommand' -f -a '${firsts}'`, ...lines].join('\n');
}
