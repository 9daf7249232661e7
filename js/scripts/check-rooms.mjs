// What no compiler enforces of the rooms of C++: who may include whom, and what the core may not say. And
// that sources are ASCII. One sentence per violation; exit code 1 if any. TypeScript's rooms are Biome's.
//
//   node js/scripts/check-rooms.mjs [folder]     (default: this repository)
//
// The rules are the tables below. An exception is an entry in a table, with its reason.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('../../', import.meta.url));

const CORE = /^cpp\/(include|src)\//;
/** It includes every type, so that a new one is listed once. */
const REGISTRY = 'cpp/include/tamis/registry.hpp';

/** The filters that a file beside their own may include: what composites hold, and a conversion's result. */
const MAY_INCLUDE = {
  'cpp/include/tamis/detail/subfilter.hpp': ['bloom', 'blocked_bloom'],
  'cpp/include/tamis/filters/counting_bloom.hpp': ['bloom'], // toBloom
};

// No sizing header is among them: what enters the bytes may not depend on a libm.
const ESTIMATES = ['cpp/include/tamis/filters/bloom.hpp', 'cpp/src/filters/bloom.cpp'];
const formulas =
  'formulas live in sizing/, on its own functions; <cmath> serves the estimates of Bloom';

/** Where what may not be included. */
const INCLUDES = [
  { in: /^(cpp|tests)\//, path: /^emscripten/, why: 'only bindings/ may know Emscripten' },
  {
    in: /^cpp\//,
    path: /(^|\/)(bindings|tests)\//,
    why: 'cpp knows nothing of bindings/ or tests/',
  },
  { in: /^cpp\/include\//, path: /^xxh/, why: 'xxHash is for the sources: users need not have it' },
  {
    in: /^bindings\//,
    path: /^tamis\/detail\/|cpp\/src\//,
    why: 'bindings use the public headers of cpp, not its detail/ or src/',
  },
  {
    in: CORE,
    path: /(^|\/)tamis\.hpp$/,
    why: 'the umbrella is for users, nothing inside the library includes it',
  },
  {
    in: CORE,
    path: /^((io|i|o|f|s)stream|iomanip|print|cstdio|stdio\.h)$/,
    why: 'the core prints nothing',
  },
  {
    in: CORE,
    path: /^(exception|stdexcept|typeinfo)$/,
    why: 'the core is built without exceptions and RTTI',
  },
  { in: CORE, path: /^(cmath|math\.h)$/, why: formulas, except: ESTIMATES },
];

/** What the core may not say. */
const WORDS = [
  { word: /\b(throw|try|catch)\b/, why: 'the core throws nothing: it returns a Status' },
  { word: /\b(f?printf|f?puts|putchar|cout|cerr|clog)\b/, why: 'the core prints nothing' },
  { word: /\b(abort|exit|_Exit|quick_exit|terminate)(?=\s*\()/, why: 'the core never aborts' },
  {
    word: /\bnew\b|(?<!=\s*)\bdelete\b|\b(malloc|calloc|realloc|aligned_alloc|free)(?=\s*\()/,
    why: 'memory is allocated in detail/buffer.hpp alone, where failure is a Status',
    except: ['cpp/include/tamis/detail/buffer.hpp'],
  },
  {
    word: /\bstd::(vector|string|deque|list|map|set|unordered_\w+|function|make_unique|make_shared)\b/,
    why: 'a standard container ends the program when memory is short; use detail::Buffer',
  },
  {
    word: /\bstd::(log|log2|log10|log1p|exp|exp2|expm1|pow|sqrt)\b/,
    why: formulas,
    except: ESTIMATES,
  },
];

/** Headers that ask for the instruction set, and the namespace that keeps their functions apart. */
const INSTRUCTION_SETS = /\b__(wasm_simd128|wasm_relaxed|SSE|SSSE|AVX|BMI|ARM_NEON|ARM_FEATURE)\w*/;
const ISA_NAMESPACE = /\binline namespace TAMIS_ISA\b/;
const ISA = 'cpp/include/tamis/detail/isa.hpp';

const violations = [];
const report = (file, line, sentence) => violations.push(`${file}:${line}: ${sentence}.`);
const lineAt = (text, offset) => text.slice(0, offset).split('\n').length;

/** `text` with comments, and strings unless kept, blanked; lines stay where they are. */
function codeOf(text, keepStrings) {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|R"([^(\s]*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'/g;
  return text.replace(token, (found) =>
    keepStrings && !found.startsWith('/') ? found : found.replace(/[^\n]/g, ' '),
  );
}

const hasFilter = (name) => existsSync(join(root, `cpp/include/tamis/filters/${name}.hpp`));

/** 'bloom' for the header and the sources of Bloom; undefined for what is no filter's file. */
function filterOf(file) {
  const folders = /^cpp\/(?:include\/tamis|src)\/filters\/(\w+?)(?:_probe|_build)?\.[ch]pp$/;
  const name = folders.exec(file)?.[1];
  return name && hasFilter(name) ? name : undefined;
}

function checkInclude(file, line, path) {
  const say = (why) => report(file, line, `includes ${path}: ${why}`);
  for (const rule of INCLUDES) {
    if (rule.in.test(file) && rule.path.test(path) && !rule.except?.includes(file)) say(rule.why);
  }
  if (!CORE.test(file) || file === REGISTRY) return;
  const full = path.startsWith('tamis/') ? path : posix.join(posix.dirname(file), path);
  const other = /(?:^|\/)tamis\/filters\/(\w+)\.hpp$/.exec(full)?.[1];
  const self = filterOf(file);
  if (!other || other === self || MAY_INCLUDE[file]?.includes(other)) return;
  say(self ? 'filters never include one another' : 'the core below the filters knows none of them');
}

function checkCpp(file, text) {
  for (const found of codeOf(text, true).matchAll(/^[ \t]*#[ \t]*include\s*[<"]([^>"]+)[>"]/gm)) {
    checkInclude(file, lineAt(text, found.index), found[1]);
  }
  if (!CORE.test(file)) return;
  const code = codeOf(text, false);
  const asked = file.endsWith('.hpp') && file !== ISA ? INSTRUCTION_SETS.exec(code) : null;
  if (asked && !ISA_NAMESPACE.test(code)) {
    const why = 'what depends on it stands in inline namespace TAMIS_ISA (detail/isa.hpp)';
    report(file, lineAt(code, asked.index), `says ${asked[0]}: ${why}`);
  }
  code.split('\n').forEach((line, index) => {
    if (/^\s*#\s*include/.test(line)) return;
    for (const { word, why, except } of WORDS) {
      const found = except?.includes(file) ? null : word.exec(line);
      if (found) report(file, index + 1, `says ${found[0]}: ${why}`);
    }
  });
}

const SKIPPED = /(^|\/)(node_modules|dist|build)\/|^tests\/vectors\/|^js\/src\/wasm\/core\.js$/;
const SOURCE = /\.(cpp|hpp|h|def|cmake|ts|mts|js|mjs|cjs|py|css|html|txt)$/;
let checked = 0;
for (const room of ['bindings', 'cpp', 'js', 'tests', 'web-demo']) {
  const folder = join(root, room);
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).sort() : [];
  for (const name of names) {
    const file = posix.join(room, name);
    if (!SOURCE.test(file) || SKIPPED.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
    const foreign = /[^\x00-\x7f]/.exec(text);
    if (foreign) {
      const code = foreign[0].codePointAt(0).toString(16).padStart(4, '0');
      report(file, lineAt(text, foreign.index), `holds U+${code}: sources are ASCII`);
    }
    if (/\.(cpp|hpp|h|def)$/.test(file)) {
      checkCpp(file, text);
      checked++;
    }
  }
}
if (checked === 0) report('cpp', 1, 'is empty: nothing was checked');
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;
else console.log(`rooms: ${checked} files of C++, every include in order`);
