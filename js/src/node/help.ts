import { DEFAULT_TYPE, typeNames, typeOptions } from './filter-types.js';

/** Columns of a terminal. */
const WIDTH = 80;

/** The words in lines that fit behind an indent, with which the first one begins already. */
function wrap(text: string, indent: number): string {
  const lines = text.match(new RegExp(`\\S.{0,${WIDTH - indent - 1}}(?=\\s|$)`, 'g')) ?? [text];
  return lines.join(`\n${' '.repeat(indent)}`);
}

type Row = readonly [name: string, text: string];

/** Names, and what is said of them from a column on. */
const rows = (column: number, ...all: readonly Row[]): string =>
  all.map(([name, text]) => `  ${name.padEnd(column - 2)}${wrap(text, column)}\n`).join('');

const OPTIONS = 21;
const LONG_OPTIONS = 25;

const output: Row = ['-o, --output FILE', 'where it is written to, whole or not at all'];
const figures: Row = ['--json', 'the figures as one line of JSON'];

/** Of every command that reads lists. */
const listOptions: readonly Row[] = [
  [
    '--comments TEXT',
    "what comments begin with, such as '#': drops them, at the start of a line or behind a blank, and blanks around keys",
  ],
  ['--max-line N', 'the longest line in bytes (default 65536)'],
];

const general = `tamis: approximate-membership filters, built from lists and asked from files

${rows(
  30,
  ['tamis plan [LIST] [needs]', 'which type fits, how large it will be, and why'],
  ['tamis build LIST -o FILE', "a filter of the list's keys, one a line"],
  ['tamis check FILE [KEY...]', 'is a key in it? keys from standard input too'],
  ['tamis merge A B... -o FILE', 'the union of filters that were made alike'],
  ['tamis inspect FILE', 'what a file holds: figures, and its bits'],
  ['tamis url COMMAND', 'lists of URLs: build, diff, publish, check'],
)}
${rows(
  30,
  ['tamis help COMMAND', 'the options of a command, as COMMAND --help'],
  ['tamis --version', 'the version of the package'],
)}
${wrap('A filter answers "certainly absent" or "probably present", never more.', 0)}

Exit codes, as grep has them:
${rows(
  5,
  ['0', 'some key is probably present, or the command did its work'],
  ['1', 'nothing is present'],
  ['2', 'an error, or no command: nothing is known'],
)}`;

const build = `tamis build LIST -o FILE [options]

${rows(
  OPTIONS,
  ['LIST', 'one key a line: a file, - for standard input; gzip is told by its bytes'],
  output,
  ['--type TYPE', `${typeNames.join(', ')} (default ${DEFAULT_TYPE})`],
  [
    '--fpr RATE',
    'share of strangers answered "probably present": 0.01, 2^-16 (default 0.01; of exact, whose strangers are in neither list: what makes it smallest)',
  ],
  [
    '--capacity N',
    'number of keys to make room for (default: the keys in LIST); not for what is built once: ribbon, binary-fuse, exact',
  ],
  ['--seed N', 'decimal or 0x..., up to 64 bits (default 0); not a secret'],
  ['--key-file FILE', '16 secret bytes, or 32 hex digits: hashes with that key'],
  ...listOptions,
  figures,
)}
Options of some types:

${rows(
  LONG_OPTIONS,
  ...Object.entries(typeOptions).map(
    ([name, { types, value, help }]) =>
      [`--${name} ${value}`, `${types.join(', ')}: ${help}`] as const,
  ),
)}
${[
  'Lines are UTF-8; empty lines, a CR before the line end and a leading BOM are dropped. A # at the start of a line and blanks around a key belong to the key, and are warned of, unless --comments drops them.',
  'With --capacity the list is streamed; without, its keys are kept in memory until counted. For what is built once, 8 bytes of each key are kept.',
  'cuckoo and d-left-counting can be full, which is an error; a cuckoo filter is full, too, for a key that LIST repeats more than 2 * bucket-size times.',
]
  .map((text) => wrap(text, 0))
  .join('\n\n')}
`;

const plan = `tamis plan [LIST] [options]

${rows(
  OPTIONS,
  ['LIST', 'one key a line, to be counted; or, instead:'],
  ['--capacity N', 'number of distinct keys'],
  ['--fpr RATE', 'share of strangers that may pass: 0.01, 2^-16 (default 0.01)'],
  ['--deletes', 'keys are taken out again'],
  ['--grows', 'nobody knows how many keys will come'],
  ['--static', 'all keys are known beforehand; built once, and shipped'],
  ['--values BITS', 'each key has a value of so many bits, 1 to 32'],
  ['--universe N', 'so many elements are possible at all, and can be numbered or listed'],
  ...listOptions,
  ['--json', 'the answer as one line of JSON'],
)}
${wrap(
  'Says which type fits, its size, the reason, and the code or the command that makes it: what suggestFilter says in a program.',
  0,
)}
`;

const check = `tamis check FILE [KEY...] [options]

${rows(
  OPTIONS,
  ['FILE', 'what tamis build wrote'],
  [
    'KEY',
    'a key to ask for; - reads keys from standard input, one a line; with no KEY at all they are read from there too',
  ],
  ['--key-file FILE', 'the secret key that FILE was built with'],
  ...listOptions,
  ['--json', 'a line of JSON for each key: {"key":"a","has":true}'],
)}
Exit codes:
${rows(
  5,
  ['0', 'some key is probably present; also when the reader closes the pipe'],
  ['1', 'none is'],
  ['2', 'an error: the answer is not known'],
)}
A key that begins with a hyphen goes after --: tamis check FILE -- -key
`;

const inspect = `tamis inspect FILE [options]

${rows(
  OPTIONS,
  ['FILE', 'what tamis build, or toBytes() in a program, wrote'],
  ['--bits FROM:TO', 'prints the bits FROM to TO - 1 as well; either may be left out'],
  ['--key-file FILE', 'the secret key that FILE was built with'],
  figures,
)}
Warns on standard error where a filter holds more than it was designed for.
`;

const merge = `tamis merge A B... -o FILE [options]

${rows(
  OPTIONS,
  [
    'A B...',
    'two or more files of one type that can be merged: bloom, blocked-bloom, counting-bloom, bit-array; made alike: size, hash, seed, key, scheme',
  ],
  [output[0], `${output[1]}; may be one of them`],
  ['--key-file FILE', 'the secret key that all of them were built with'],
  figures,
)}
${wrap(
  'A filter is made alike by the same --type, --capacity, --fpr and --seed. The union holds the keys of all: make each with the capacity of the whole. Warns as inspect does.',
  0,
)}
`;

const url = `tamis url: lists of hosts and URLs as Safe Browsing has them

${rows(
  38,
  ['tamis url build LIST -o FILE', 'a list, if it passes the gate'],
  ['tamis url diff OLD NEW -o FILE', 'what makes the list NEW of the list OLD'],
  ['tamis url publish FILE --to FOLDER', 'a signed version of it, with deltas'],
  ['tamis url check LIST [URL...]', 'is a URL on it?'],
)}
${rows(38, ['tamis help url COMMAND', 'the options of a command'])}
${wrap(
  'For programs there is the entry tamis/url of the package: UrlChecker keeps a published list up to date and checks by it, createConfirmHandler answers for what hits.',
  0,
)}
`;

const urlBuild = `tamis url build LIST -o FILE [options]

${rows(
  LONG_OPTIONS,
  ['LIST', 'one a line: a file, - for standard input; gzip is told by its bytes'],
  output,
  ['--name NAME', 'what messages call the list (default: LIST without its ending)'],
  ['--kind KIND', 'what a line of LIST is (default hosts):'],
  ['', 'hosts: a host, with all its pages and subdomains'],
  ['', 'urls: a single page'],
  ['', 'expressions: as lists have them, host/folder/, host/page?query'],
  ['--prefix-bytes N', 'bytes of an entry: 4, 8, 16 or 32 (default 4)'],
  [
    '--rule RULE',
    'by which hosts a URL is looked up: labels5, or tldts, by the public suffixes of that package, where it is installed (default labels5)',
  ],
  ['--hashes FILE', 'the full hashes too, which createConfirmHandler takes'],
  [
    '--skip-invalid',
    'skips lines that are no entry, counts them and shows the first 20, in the place of an error',
  ],
  ...listOptions,
  figures,
)}
The gate; what it refuses is not written, and the error names what offends:

${rows(
  LONG_OPTIONS,
  ['--must-not-match FILE', 'URLs or hosts, one a line, that no entry may match'],
  ['--previous FILE', 'the list that is published now'],
  [
    '--max-change PERCENT',
    'of the entries of --previous, the most that come, and the most that go',
  ],
  ['--min-entries N', 'the fewest entries'],
)}`;

const urlDiff = `tamis url diff OLD NEW -o FILE [options]

${rows(
  OPTIONS,
  ['OLD, NEW', 'what tamis url build wrote, by the same --rule and --prefix-bytes'],
  output,
  figures,
)}
tamis url publish makes its deltas itself.
`;

const urlPublish = `tamis url publish FILE --to FOLDER --key PEM --name NAME [options]

${rows(
  OPTIONS,
  ['FILE', 'what tamis url build wrote'],
  [
    '--to FOLDER',
    'where manifest.json and the files that it names are written to; made where there is none',
  ],
  ['--key PEM', 'the Ed25519 private key, as "openssl genpkey -algorithm ed25519" writes it'],
  ['--create-key', 'makes that file where there is none, for its owner alone to read'],
  ['--name NAME', "the list's name, which clients may ask for"],
  ['--version TEXT', 'a name of this version for people (default: the time)'],
  [
    '--lifetime TIME',
    'how long clients believe it: 90m, 36h, 7d (default 7d); publish again before',
  ],
  ['--max-deltas N', 'how many versions back a client may follow deltas (default 64)'],
  [
    '--old-key HEX',
    'a public key that may have signed what stands in FOLDER, to change keys; may be given again',
  ],
  ['--json', 'what was published as one line of JSON'],
)}
${wrap(
  'Prints the public key, which clients need. The same list again renews the manifest alone. Old files stay for a day. Serve the folder as it is: the manifest with a short max-age, the others for ever.',
  0,
)}
`;

const urlCheck = `tamis url check LIST [URL...] [options]

${rows(
  OPTIONS,
  [
    'LIST',
    'a file that tamis url build wrote; a folder that tamis url publish wrote, or its manifest.json; the http or https URL of that',
  ],
  [
    'URL',
    'a URL to ask for; - reads them from standard input, one a line; with no URL at all they are read from there too',
  ],
  ['--public-key HEX', 'who may have signed, of a folder or a manifest; may be given again'],
  ['--rule RULE', 'the rule that the list was built by: labels5 or tldts (default labels5)'],
  ...listOptions,
  ['--json', 'a line of JSON for each: {"url":"a","verdict":"maybe","expressions":["a/"]}'],
)}
The answers; safe alone means safe:
${rows(
  11,
  ['safe', 'certainly not listed'],
  ['maybe', 'as every listed URL is; with the expressions that hit'],
  ['invalid', 'no URL of the web: it cannot be looked up, and is not known to be safe'],
)}
Exit codes:
${rows(
  5,
  ['0', 'some URL is maybe; also when the reader closes the pipe'],
  ['1', 'every URL is safe'],
  ['2', 'an error, or some URL is invalid and none is maybe'],
)}`;

/** What --help prints: of a command, or of the whole. */
export const help = {
  general,
  plan,
  build,
  check,
  inspect,
  merge,
  url,
  'url build': urlBuild,
  'url diff': urlDiff,
  'url publish': urlPublish,
  'url check': urlCheck,
} as const;
