import { type OptionGroups, type OptionRow, UsageError } from './command-line.ts';
import { suggestion } from './nearest.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What can be typed after `rallypoint`, or after one of its commands. */
export interface Completable {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionGroups;
  /** What stands for the word that it takes besides options: `FILE`, `DIR`, a name. */
  readonly operand?: string | undefined;
  /** Words that it takes in that place: the shells of `completion`. */
  readonly words?: readonly string[];
  /** The actions of a command that has some. */
  readonly actions?: readonly Completable[];
}

/** @throws UsageError */
export function readShell(word: string | undefined): Shell {
  const shell = shells.find(one => one === word);
  if (shell) return shell;
  if (word === undefined) throw new UsageError(`Name a shell: rallypoint completion ${shells.join('|')}`);
  throw new UsageError(
    `There is no completion for ${word}.${suggestion(word, shells)} It is for ${shells.join(', ')}.`,
  );
}

/** The script that completes `rallypoint` in a shell. */
export function completionScript(shell: Shell, commands: readonly Completable[]): string {
  const lines = { bash, zsh, fish }[shell](commands);
  // Of a file in its function path zsh reads this first line.
  const first = shell === 'zsh' ? ['#compdef rallypoint'] : [];
  return `${[...first, `# Made by: rallypoint completion ${shell}`, ...lines].join('\n')}\n`;
}

const topOptions = ['--help', '--version'];

function rowsOf({ options }: Completable): [string, OptionRow][] {
  return Object.values(options).flatMap(rows => Object.entries(rows));
}

/** Commands and their actions, each with the words that lead to it. */
function leavesOf(
  commands: readonly Completable[],
): { readonly path: readonly string[]; readonly leaf: Completable }[] {
  return commands.flatMap(command =>
    command.actions
      ? command.actions.map(leaf => ({ path: [command.name, leaf.name], leaf }))
      : [{ path: [command.name], leaf: command }],
  );
}

function bash(commands: readonly Completable[]): string[] {
  const withActions = commands.filter(({ actions }) => actions);
  const words = (list: readonly string[]) => `COMPREPLY=($(compgen -W "${list.join(' ')}" -- "$word"))`;
  // File names may have blanks in them. Bash 3 has no compopt.
  const files = (what: string | undefined) =>
    `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${what === 'DIR' ? '-d' : '-f'} -- "$word"))`;
  const ofValue = ({ value, choices }: OptionRow) =>
    choices ? words(choices) : value === 'FILE' || value === 'DIR' ? files(value) : 'COMPREPLY=()';
  const leaves = leavesOf(commands);
  return [
    '_rallypoint() {',
    `  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="\${COMP_WORDS[1]}"`,
    '  COMPREPLY=()',
    `  if [ "$COMP_CWORD" -eq 1 ]; then ${words([...commands.map(({ name }) => name), ...topOptions])}; return; fi`,
    '  case "$path" in',
    ...withActions.map(
      ({ name, actions = [] }) =>
        `    ${name}) if [ "$COMP_CWORD" -eq 2 ]; then ${words([...actions.map(action => action.name), '--help'])}; return; fi; path="$path \${COMP_WORDS[2]}" ;;`,
    ),
    '  esac',
    '  case "$path $before" in',
    ...leaves.flatMap(({ path, leaf }) =>
      rowsOf(leaf)
        .filter(([, { value }]) => value !== undefined)
        .map(([name, row]) => `    "${path.join(' ')} --${name}") ${ofValue(row)}; return ;;`),
    ),
    '  esac',
    '  case "$path" in',
    ...leaves.map(({ path, leaf }) => {
      const options = words(rowsOf(leaf).map(([name]) => `--${name}`));
      const rest = leaf.words ? words(leaf.words) : /FILE|DIR/.test(leaf.operand ?? '') ? files(leaf.operand) : ':';
      return `    "${path.join(' ')}") case "$word" in -*) ${options} ;; *) ${rest} ;; esac ;;`;
    }),
    '  esac',
    '}',
    'complete -F _rallypoint rallypoint',
  ];
}

function zsh(commands: readonly Completable[]): string[] {
  const list = (name: string, items: readonly Completable[]) => [
    `  local -a ${name}=(`,
    ...items.map(item => `    ${quote(`${item.name}:${item.summary}`)}`),
    '  )',
  ];
  const specOf = ([name, { value, choices, help }]: [string, OptionRow]) => {
    const told = `--${name}[${(help[0] ?? '').replace(/[[\]:]/g, '\\$&')}]`;
    if (value === undefined) return quote(told);
    const what = choices ? `(${choices.join(' ')})` : value === 'FILE' ? '_files' : value === 'DIR' ? '_files -/' : '';
    return quote(`${told}:${value}:${what}`);
  };
  const restOf = ({ operand, words }: Completable) => {
    if (words) return [quote(`1:${operand ?? 'word'}:(${words.join(' ')})`)];
    return /FILE/.test(operand ?? '') ? [quote('1:FILE:_files')] : [];
  };
  const argumentsOf = (leaf: Completable) =>
    ['_arguments', ...rowsOf(leaf).map(specOf), ...restOf(leaf)].join(' \\\n        ');
  return [
    '_rallypoint() {',
    ...list('commands', commands),
    `  if (( CURRENT == 2 )); then _describe command commands; compadd -- ${topOptions.join(' ')}; return; fi`,
    '  shift words; (( CURRENT-- ))',
    '  case "$words[1]" in',
    ...commands.flatMap(command => {
      if (!command.actions) return [`    ${command.name})`, `      ${argumentsOf(command)} ;;`];
      return [
        `    ${command.name})`,
        ...list('actions', command.actions),
        '      if (( CURRENT == 2 )); then _describe action actions; return; fi',
        '      shift words; (( CURRENT-- ))',
        '      case "$words[1]" in',
        ...command.actions.map(action => `        ${action.name}) ${argumentsOf(action)} ;;`),
        '      esac ;;',
      ];
    }),
    '  esac',
    '}',
    // Read as a completion function it runs, and as a script it is registered.
    'if [ "$funcstack[1]" = "_rallypoint" ]; then _rallypoint "$@"; else compdef _rallypoint rallypoint; fi',
  ];
}

function fish(commands: readonly Completable[]): string[] {
  const say = (condition: string, rest: string) => `complete -c rallypoint -n ${quote(condition)} ${rest}`;
  const top = '__fish_use_subcommand';
  const optionOf = ([name, { value, choices, short, help }]: [string, OptionRow]) => {
    const flag = `-l ${name}${short ? ` -s ${short}` : ''} -d ${quote(help[0] ?? '')}`;
    if (value === undefined) return flag;
    if (choices) return `${flag} -x -a ${quote(choices.join(' '))}`;
    if (value === 'DIR') return `${flag} -x -a '(__fish_complete_directories)'`;
    return `${flag} ${value === 'FILE' ? '-r -F' : '-x'}`;
  };
  return [
    'complete -c rallypoint -f',
    ...commands.map(({ name, summary }) => say(top, `-a ${name} -d ${quote(summary)}`)),
    ...topOptions.map(option => say(top, `-l ${option.slice(2)}`)),
    ...commands.flatMap(({ name, actions = [] }) => {
      const names = actions.map(action => action.name).join(' ');
      const open = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${names}`;
      return actions.map(action => say(open, `-a ${action.name} -d ${quote(action.summary)}`));
    }),
    ...leavesOf(commands).flatMap(({ path, leaf }) => {
      const inside = path.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ');
      const operand = leaf.words
        ? [say(inside, `-a ${quote(leaf.words.join(' '))}`)]
        : /FILE/.test(leaf.operand ?? '')
          ? [say(inside, '-F')]
          : [];
      return [...rowsOf(leaf).map(row => say(inside, optionOf(row))), ...operand];
    }),
  ];
}

/** Text between the single quotation marks of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
