// Checks rules for the rooms (top-level parts of the repository) that no compiler enforces: which headers C++ may
// include, and which words the core must not use. Sources must be ASCII, a room must not have more lines than its row
// allows, and npm lock files must have all digests. Prints a sentence for each violation, and exits with 1.
//
//   node js/scripts/check-rooms.mjs
//
// The tables below contain the rules, and exceptions with their reasons. js/rooms.config.mjs has those for TypeScript.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { root } from './run.mjs';

const CORE = /^cpp\/(include|src)\//;

/** Filter headers that other headers may include: the list of all types, and types of parts and of results. */
const MAY_INCLUDE = {
  'cpp/include/tamis/registry.hpp': /./,
  'cpp/include/tamis/detail/subfilter.hpp': /^(bloom|blocked_bloom)\.hpp$/,
  'cpp/include/tamis/filters/counting_bloom.hpp': /^bloom\.hpp$/, // toBloom
  // Arrays of other libraries are converted to these two types.
  'cpp/include/tamis/interop/foreign_bits.hpp': /^(bloom|blocked_bloom)\.hpp$/,
};

/** Headers that must not be included, and the folders to which the rule applies. */
const INCLUDES = [
  { in: CORE, path: /^emscripten/, why: 'only bindings/ may depend on Emscripten' },
  {
    in: /^cpp\//,
    path: /(^|\/)(bindings|tests)\//,
    why: 'cpp must not depend on bindings/ or tests/',
  },
  { in: /^cpp\/include\//, path: /^xxh/, why: 'only sources may use xxHash: users may lack it' },
  {
    in: /^bindings\//,
    path: /^tamis\/(detail|hash)\/|cpp\/src\//,
    why: 'bindings use the public headers of cpp, not its detail/, hash/ or src/',
    // It replaces a file of the core.
    except: /^bindings\/schemes\.cpp$/,
  },
  { in: CORE, path: /(^|\/)tamis\.hpp$/, why: 'tamis.hpp is for users; include what you need' },
];

/** Words that the core must not use. Exceptions are already forbidden by a compiler flag. */
const WORDS = [
  { word: /\b(f?printf|f?puts|putchar|cout|cerr|clog)\b/, why: 'the core prints nothing' },
  { word: /\b(abort|exit|_Exit|quick_exit|terminate)(?=\s*\()/, why: 'the core never aborts' },
  {
    word: /\bnew\b|(?<!=\s*)\bdelete\b|\b(malloc|calloc|realloc|aligned_alloc|free)(?=\s*\()/,
    why: 'only detail/buffer.hpp may allocate memory, since it returns failures',
    except: ['cpp/include/tamis/detail/buffer.hpp'],
  },
  {
    word: /\bstd::(vector|string|deque|list|map|set|unordered_\w+|function|make_unique|make_shared)\b/,
    why: 'a standard container ends the program when memory is short; use detail::Buffer',
  },
  {
    word: /\bstd::(log|log2|log10|log1p|exp|exp2|expm1|pow|sqrt)\b/,
    why: 'libm differs between machines; use the functions of sizing/math.hpp',
  },
];

/** Macros for instruction sets, and the namespace that separates functions which depend on them. */
const INSTRUCTION_SETS = /\b__(wasm_simd128|wasm_relaxed|SSE|SSSE|AVX|BMI|ARM_NEON|ARM_FEATURE)\w*/;
const ISA_NAMESPACE = /\binline namespace TAMIS_ISA\b/;
const ISA = 'cpp/include/tamis/detail/isa.hpp';

const violations = [];
const report = (file, line, sentence) => violations.push(`${file}:${line}: ${sentence}.`);

/** Replaces comments by blanks, and also strings unless they are kept. Line numbers do not change. */
function codeOf(text, keepStrings = false) {
  const token =
    /\/\/.*|\/\*[\s\S]*?\*\/|R"([^(\s]*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'/g;
  return text.replace(token, (found) =>
    keepStrings && !found.startsWith('/') ? found : found.replace(/./g, ' '),
  );
}

function checkInclude(file, line, path) {
  const say = (why) => report(file, line, `includes ${path}: ${why}`);
  for (const rule of INCLUDES) {
    if (rule.in.test(file) && rule.path.test(path) && !rule.except?.test(file)) say(rule.why);
  }
  const full = path.startsWith('tamis/') ? `/${path}` : posix.join(posix.dirname(file), path);
  if (!CORE.test(file) || !/\/tamis\/filters\/\w+\.hpp$/.test(full)) return;
  const self = /\/filters\/(\w+?)(?:_inline)?\.[ch]pp$/.exec(file)?.[1];
  const other = basename(full);
  if ([`${self}.hpp`, `${self}_inline.hpp`].includes(other) || MAY_INCLUDE[file]?.test(other))
    return;
  say(self ? 'filters never include one another' : 'the core below the filters knows none of them');
}

function checkWords(file, code) {
  const isaHeader = file.endsWith('.hpp') && file !== ISA && !ISA_NAMESPACE.test(code);
  code.split('\n').forEach((line, index) => {
    const say = (word, why) => report(file, index + 1, `says ${word}: ${why}`);
    const asked = isaHeader && INSTRUCTION_SETS.exec(line);
    if (asked)
      say(asked[0], 'what depends on it stands in inline namespace TAMIS_ISA (detail/isa.hpp)');
    if (/^\s*#\s*include/.test(line)) return;
    for (const { word, why, except } of WORDS) {
      const found = !except?.includes(file) && word.exec(line);
      if (found) say(found[0], why);
    }
  });
}

const LOCK = /^(package-lock|npm-shrinkwrap)\.json$/;
const SHA512 = /^sha512-[\w+/]{86}==$/;
const SOURCE =
  /^(bindings|cpp|docs\/(\.vitepress|tests)|js|lab|tests(?!\/vectors)|web-demo)\/.*\.(cpp|hpp|h|def|cmake|ts|mts|js|mjs|cjs|py|css|html|txt)$/;

/** The number of lines of each text file that git does not ignore. */
const counts = new Map(
  execFileSync('git', ['grep', '--untracked', '-zIc', ''], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.split('\0')),
);

let checked = 0;
for (const file of [...counts.keys()].filter((one) => SOURCE.test(one))) {
  const text = readFileSync(join(root, file), 'utf8');
  const lineAt = (offset) => text.slice(0, offset).split('\n').length;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
  const foreign = /[^\x00-\x7f]/.exec(text);
  if (foreign) {
    const code = foreign[0].codePointAt(0).toString(16).padStart(4, '0');
    report(file, lineAt(foreign.index), `holds U+${code}: sources are ASCII`);
  }
  if (!/\.(cpp|hpp|h|def)$/.test(file)) continue;
  checked++;
  const include = /^[ \t]*#[ \t]*include\s*[<"]([^>"]+)[>"]/gm;
  for (const found of codeOf(text, true).matchAll(include)) {
    checkInclude(file, lineAt(found.index), found[1]);
  }
  if (CORE.test(file)) checkWords(file, codeOf(text));
}

/** The largest number of lines in each room, without lock files. A change that makes a room larger changes its row. */
const LINES = {
  'js/src': [/^js\/src\//, 33_150],
  'js/scripts': [/^js\/(scripts\/|rooms\.config)/, 3_190],
  'lab, the code': [/^lab\/(?!bench\/results\/)/, 13_450],
  'lab, the results': [/^lab\/bench\/results\//, 930],
  'web-demo': [/^web-demo\//, 20_990],
  tests: [/^tests\//, 86_630],
  docs: [/^docs\//, 11_610],
  cpp: [/^(cpp|bindings)\//, 21_010],
  'all rooms': [/^/, 198_860],
};

for (const [room, [files, most]] of Object.entries(LINES)) {
  const sum = [...counts]
    .filter(([file]) => files.test(file) && !LOCK.test(basename(file)))
    .reduce((all, [, count]) => all + Number(count), 0);
  if (sum > most)
    report('js/scripts/check-rooms.mjs', 1, `LINES: ${room} has ${sum} lines, of ${most} at most`);
}

let locked = 0;
for (const file of [...counts.keys()].filter((path) => LOCK.test(basename(path)))) {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8'));
  for (const [path, { link, integrity, resolved }] of Object.entries(packages)) {
    // A link leads to the root package, which has no digest.
    if (link || !path.includes('node_modules/')) continue;
    locked++;
    const say = (why) => report(file, 1, `${path} ${why}`);
    if (!SHA512.test(integrity))
      say('has no integrity of sha512: remove the lock and node_modules, then `npm install`');
    if (resolved !== undefined)
      say('names a registry by `resolved`: .npmrc beside the lock leaves it out');
  }
}

if (checked === 0) report('cpp', 1, 'is empty: nothing was checked');
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;
else
  console.log(
    `rooms: ${checked} files of C++, every include in order; ${locked} packages, each locked by its sha512`,
  );
