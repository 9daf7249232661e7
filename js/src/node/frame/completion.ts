// The command that prints a completion script for a shell, made from all commands and their options.

import {
  type Command,
  type Commands,
  command,
  formsOf,
  type Groups,
  type Option,
  type Options,
  readOneOf,
} from './command.js';
import { installations } from './help.js';

/** The words that can follow the words after `tamis`, each with its description. */
type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;

const fileValues = ['FILE', 'FILE|URL', 'LIST2', 'PEM'];

/** What can follow an option: nothing for a flag, one of its words, a path, or any text. */
function kindOfValue({ value, words }: Option): 'flag' | 'words' | 'file' | 'folder' | 'free' {
  if (value === undefined) return 'flag';
  if (words !== undefined) return 'words';
  if (value === 'FOLDER') return 'folder';
  return fileValues.includes(value) ? 'file' : 'free';
}

/** The description of an option in a menu: its help without defaults, remarks and words. */
function briefOf({ help, words }: Option): string {
  const text = help.replace(/(; | \().*/s, '');
  return words === undefined ? text : text.slice(0, text.lastIndexOf(': '));
}

/** Puts text in single quotes; `quote` replaces each quote inside. */
const quoted = (text: string, quote: string): string => `'${text.replaceAll("'", quote)}'`;

const shellQuoted = (text: string): string => quoted(text, "'\\''");

/** The branches of a bash `case` on the command and the previous word, which set the words or paths that may follow. */
function bashCases(name: string, options: Options): string[] {
  const formsOfAction = new Map<string, string[]>();
  for (const [optionName, option] of Object.entries(options)) {
    const action = {
      flag: undefined,
      words: `words='${option.words?.join(' ')}'`,
      file: 'paths=file',
      folder: 'paths=directory',
      free: ':', // bash's command that does nothing: any text may follow
    }[kindOfValue(option)];
    if (action === undefined) continue; // after a flag, the last branch applies, as after any other word
    const forms = formsOf(optionName, option).map((form) => `'${name} ${form}'`);
    formsOfAction.set(action, [...(formsOfAction.get(action) ?? []), ...forms]);
  }
  const lines = [...formsOfAction].map(([action, forms]) => `${forms.join(' | ')}) ${action} ;;`);
  const all = Object.entries(options).flatMap((entry) => formsOf(...entry));
  return [...lines, `'${name} '*) words='${all.join(' ')} --help' paths=file ;;`];
}

function completeBash(words: Words, commands: Commands): string {
  const start = Object.entries(words).map(
    ([before, next]) => `    '${before}') words='${Object.keys(next).join(' ')}' ;;`,
  );
  const cases = Object.entries(commands).flatMap(([name, { options }]) => bashCases(name, options));
  return `# Completion of tamis for bash.
_tamis() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words= paths=
  local before="\${COMP_WORDS[*]:1:COMP_CWORD-1}" name=\${COMP_WORDS[1]}
  # --option=value is three words for bash.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [[ $name == url || $name == redis ]] && name="$name \${COMP_WORDS[2]-}"
  case $before in
${start.join('\n')}
    *) case "$name $prev" in
${cases.map((line) => `      ${line}`).join('\n')}
      esac ;;
  esac
  # Options where a hyphen stands, else paths where these can be: as bash completes them, if it is 4 or newer.
  if [[ -z $paths || $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  COMPREPLY=()
  if [[ $paths == directory ]]; then
    compopt -o dirnames 2> /dev/null && return
  else
    compopt -o default 2> /dev/null && return
  fi
  local IFS=$'\\n'
  COMPREPLY=($(compgen -A "$paths" -- "$cur"))
}
complete -F _tamis tamis
`;
}

const zshEscaped = (text: string): string => text.replace(/[\\:[\]]/g, '\\$&');

/** The argument of zsh's `_arguments` for an option. */
function zshSpec(name: string, option: Option): string {
  const { value, short, words } = option;
  const ending = {
    flag: '',
    words: `:${value}:(${words?.join(' ')})`,
    file: `:${value}:_files`,
    folder: `:${value}:_files -/`,
    free: `:${value}: `,
  }[kindOfValue(option)];
  const text = shellQuoted(`[${zshEscaped(briefOf(option))}]${ending}`);
  if (option.multiple) return `'*'--${name}=${text}`;
  const form = value === undefined ? `--${name}` : `--${name}=`;
  return short === undefined ? form + text : `'(-${short} --${name})'{-${short},${form}}${text}`;
}

function completeZsh(words: Words, commands: Commands): string {
  const start = Object.entries(words).map(([before, next]) => {
    const all = Object.entries(next).map(([word, help]) =>
      shellQuoted(`${zshEscaped(word)}:${help}`),
    );
    return `    '${before}') words_here=(${all.join(' ')}) ;;`;
  });
  const branches = Object.entries(commands).map(([name, { options }]) => {
    const specs = Object.entries(options).map((entry) => zshSpec(...entry));
    const all = [...specs, "--help'[the help of the command]'", "'*:file:_files'"];
    return `    '${name}') _arguments -s \\\n${all.map((spec) => `      ${spec}`).join(' \\\n')} ;;`;
  });
  return `#compdef tamis
# Completion of tamis for zsh.
_tamis() {
  local -a words_here
  local name=$words[2]
  case "\${words[2,CURRENT-1]}" in
${start.join('\n')}
  esac
  if (( $#words_here )); then
    _describe command words_here
    return
  fi
  # What is left are the words from the command's name on.
  if [[ $name == url || $name == redis ]]; then
    name="$name $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case $name in
${branches.join('\n')}
  esac
}
# A file of $fpath is called as the function; what is sourced names it.
if [[ $funcstack[1] == _tamis ]]; then
  _tamis "$@"
else
  compdef _tamis tamis
fi
`;
}

function completeFish(words: Words, commands: Commands): string {
  const text = (value: string): string => quoted(value.replaceAll('\\', '\\\\'), "\\'");
  const start = Object.entries(words).flatMap(([before, next]) =>
    Object.entries(next).map(
      ([word, help]) =>
        `complete -c tamis -n '__tamis_after ${before}' -a ${word} -d ${text(help)}`,
    ),
  );
  const optionLines = Object.entries(commands).flatMap(([name, { options }]) => {
    const here = `complete -c tamis -n '__tamis_in ${name}'`;
    const lines = Object.entries(options).map(([optionName, option]) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      const action = {
        flag: '',
        words: ` -x -a '${option.words?.join(' ')}'`,
        file: ' -r -F',
        folder: " -x -a '(__fish_complete_directories)'",
        free: ' -x',
      }[kindOfValue(option)];
      return `${here}${short} -l ${optionName}${action} -d ${text(briefOf(option))}`;
    });
    return [`${here} -F`, ...lines];
  });
  return `# Completion of tamis for fish.
function __tamis_after
    set -l typed (commandline -opc)
    set -e typed[1]
    test "$typed" = "$argv"
end
function __tamis_in
    set -l typed (commandline -opc)
    set -e typed[1]
    string match -q -- "$argv *" "$typed "
end
complete -c tamis -f
${[...start, ...optionLines].join('\n')}
`;
}

const shells = { bash: completeBash, zsh: completeZsh, fish: completeFish };
const names = Object.keys(shells) as (keyof typeof shells)[];

/** The command `tamis completion SHELL`, which prints a script for all `commands` and their `groups`. */
export function completionOf(commands: Commands, groups: Groups): Command {
  const summary = 'prints a script for the Tab key: bash, zsh or fish';
  return command({
    usage: 'completion SHELL',
    summary,
    about: 'Prints a script with which a shell completes commands, options and their values.',
    operands: { SHELL: names.join(', ') },
    expected: [1, 1, `one SHELL: ${names.join(', ')}`],
    options: {},
    notes: ['Add a line to the file of your shell, and start a new one:', installations],
    async run(_, [shell]: readonly [string], terminal) {
      const complete = shells[readOneOf(names)(shell, 'completion')];
      await terminal.send(complete(wordsOf(commands, groups, summary), commands));
    },
  });
}

/** The words that can be typed as a command's name. `commands` lacks `completion`, which has this `summary`. */
function wordsOf(commands: Commands, groups: Groups, summary: string): Words {
  const summariesOf = (some: Commands) =>
    Object.fromEntries(Object.entries(some).map(([name, one]) => [name, one.summary]));
  const ofGroups = Object.entries(groups).map(
    ([name, group]) => [name, summariesOf(group.commands)] as const,
  );
  const groupNames = Object.entries(groups).map(([name, { what }]) => [name, what] as const);
  const ungrouped = Object.entries(summariesOf(commands)).filter(([name]) => !name.includes(' '));
  const all = { ...Object.fromEntries([...ungrouped, ...groupNames]), completion: summary };
  return {
    '': { ...all, help: 'the options of a command', '--version': 'the version of the package' },
    ...Object.fromEntries(ofGroups),
    help: all,
    ...Object.fromEntries(ofGroups.map(([name, words]) => [`help ${name}`, words])),
    completion: Object.fromEntries(names.map((name) => [name, `a script for ${name}`])),
  };
}
