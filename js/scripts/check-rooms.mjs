// Who may know whom: web-demo -> js -> bindings -> cpp, never upward, never skipping; and the few
// other rules that a compiler does not enforce. One sentence per violation; exit code 1 if any.
//
//   node js/scripts/check-rooms.mjs [folder]     (default: this repository)
//
// The rules are the tables below. An exception is an entry in a table, with its reason.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = process.argv[2] ?? fileURLToPath(new URL('../../', import.meta.url));

/** Generated or foreign: never looked into. */
const SKIPPED = /(^|\/)(node_modules|dist|build|vectors)$|^js\/src\/wasm\/core\.js$/;
const CPP = /\.(cpp|hpp|h|def)$/;
const SCRIPT = /\.(ts|mts|js|mjs|cjs)$/;
const SOURCE = /\.(cpp|hpp|h|def|cmake|ts|mts|js|mjs|cjs|py|css|html|txt)$/;

/** What the composites are made of, and the filters that it may hold. */
const PART = 'cpp/include/tamis/detail/part.hpp';
const PART_MAY_HOLD = ['bloom', 'blocked_bloom'];

/**
 * Filters whose C++ header may include another's: a conversion that names its result. TypeScript
 * mirrors it.
 */
const FILTER_MAY_NAME = {
  counting_bloom: ['bloom'], // toBloom
};

/** The core (cpp/include, cpp/src) may not include these, beyond the files named. */
const CORE_INCLUDES = [
  {
    name: /^(iostream|ostream|istream|fstream|sstream|iomanip|print|cstdio|stdio\.h)$/,
    why: 'the core prints nothing',
  },
  {
    name: /^(exception|stdexcept|typeinfo)$/,
    why: 'the core is built without exceptions and RTTI',
  },
  {
    // sizing.hpp is no exception: what enters the bytes may not depend on a libm.
    name: /^(cmath|math\.h)$/,
    why: 'formulas live in sizing.hpp, on its own functions; <cmath> serves the estimates of Bloom',
    except: ['cpp/include/tamis/filters/bloom.hpp', 'cpp/src/bloom.cpp'],
  },
];

/** The core may not say these, beyond the files named. */
const CORE_WORDS = [
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
    why: 'formulas live in sizing.hpp, on its own functions; <cmath> serves the estimates of Bloom',
    except: ['cpp/include/tamis/filters/bloom.hpp', 'cpp/src/bloom.cpp'],
  },
];

/** Headers that ask for the instruction set, and the namespace that keeps their functions apart. */
const INSTRUCTION_SETS = /\b__(wasm_simd128|wasm_relaxed|SSE|SSSE|AVX|BMI|ARM_NEON|ARM_FEATURE)\w*/;
const ISA_NAMESPACE = /\binline namespace TAMIS_ISA\b/;
const ISA = 'cpp/include/tamis/detail/isa.hpp';

/**
 * Rooms of js/src, and what each may import. 'node:' is Node's own modules, 'tamis' the package by
 * its name, 'npm' any other package.
 */
const JS_ROOMS = {
  'index.ts': ['any.ts', 'suggest.ts', 'filters', 'core'],
  // The two places that name classes of all kinds: bytes of any type, and the choice of one.
  'any.ts': ['filters', 'core'],
  'suggest.ts': ['filters', 'core'],
  filters: ['core'],
  url: ['url', 'core'],
  core: ['core', 'wasm'],
  wasm: ['wasm'],
  node: ['node', 'tamis', 'node:', 'npm'],
};

/** Users of the package inside this repository: they import it by name. */
const USERS = ['tests/', 'web-demo/', 'js/examples/', 'js/bench/'];

const MEMORY = 'js/src/core/memory.ts';
const FORMULAS = new Set(['log', 'log2', 'log10', 'log1p', 'exp', 'expm1', 'pow']);

const violations = [];
const report = (file, line, sentence) => violations.push({ file, line, sentence });

function filesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (SKIPPED.test(path)) return [];
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

const lineAt = (text, offset) => text.slice(0, offset).split('\n').length;

/** `text` with its comments (and its strings, unless kept) blanked; lines stay where they are. */
function cppCode(text, keepStrings) {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|R"([^(\s]*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'/g;
  return text.replace(token, (found) =>
    keepStrings && !found.startsWith('/') ? found : found.replace(/[^\n]/g, ' '),
  );
}

/** 'bloom' for the header and the source of Bloom, undefined for what is no filter's file. */
function filterOf(file) {
  const header = /^cpp\/include\/tamis\/filters\/(\w+)\.hpp$/.exec(file);
  if (header) return header[1];
  // bloom.cpp, and bloom_probe.cpp and bloom_build.cpp with what is compiled for speed.
  const source = /^cpp\/src\/(\w+?)(?:_probe|_build)?\.cpp$/.exec(file);
  const name = source?.[1];
  return name && existsSync(join(root, `cpp/include/tamis/filters/${name}.hpp`)) ? name : undefined;
}

/** Where an #include leads, as a path in the repository; the name as written if it is foreign. */
function includedFile(file, path) {
  const beside = posix.join(posix.dirname(file), path);
  const candidates = [beside, `cpp/include/${path}`, `bindings/${path}`];
  return candidates.find((candidate) => existsSync(join(root, candidate))) ?? path;
}

function checkInclude(file, line, path) {
  const target = includedFile(file, path);
  const say = (why) => report(file, line, `includes ${path}: ${why}`);
  const inCore = /^cpp\/(include|src)\//.test(file);
  const self = filterOf(file);
  const other = /^cpp\/include\/tamis\/filters\/(\w+)\.hpp$/.exec(target)?.[1];

  if (path.startsWith('emscripten') && !file.startsWith('bindings/')) {
    say('only bindings/ may know Emscripten');
  }
  if (file.startsWith('cpp/') && target.startsWith('bindings/')) {
    say('cpp knows nothing of bindings/');
  }
  if (file.startsWith('bindings/') && /^cpp\/(src|include\/tamis\/detail)\//.test(target)) {
    say('bindings use the public headers of cpp, not its detail/ or src/');
  }
  if (!inCore) return;
  for (const { name, why, except } of CORE_INCLUDES) {
    if (name.test(path) && !except?.includes(file)) say(why);
  }
  if (target === 'cpp/include/tamis/tamis.hpp') {
    say('the umbrella is for users, nothing inside the library includes it');
  }
  if (file === PART && PART_MAY_HOLD.includes(other)) return;
  if (other && file !== 'cpp/include/tamis/registry.hpp' && other !== self) {
    if (!self) say('the core below the filters knows none of them');
    else if (!FILTER_MAY_NAME[self]?.includes(other)) say('filters never include one another');
  }
}

function checkCpp(file, text) {
  for (const found of cppCode(text, true).matchAll(/^[ \t]*#[ \t]*include\s*[<"]([^>"]+)[>"]/gm)) {
    checkInclude(file, lineAt(text, found.index + found[0].indexOf('#')), found[1]);
  }
  if (!/^cpp\/(include|src)\//.test(file)) return;
  const code = cppCode(text, false);
  const asked = file.endsWith('.hpp') && file !== ISA ? INSTRUCTION_SETS.exec(code) : null;
  if (asked && !ISA_NAMESPACE.test(code)) {
    const why = 'what depends on it stands in inline namespace TAMIS_ISA (detail/isa.hpp)';
    report(file, lineAt(code, asked.index), `says ${asked[0]}: ${why}`);
  }
  code.split('\n').forEach((line, index) => {
    if (/^\s*#\s*include/.test(line)) return;
    for (const { word, why, except } of CORE_WORDS) {
      const found = except?.includes(file) ? null : word.exec(line);
      if (found) report(file, index + 1, `says ${found[0]}: ${why}`);
    }
  });
}

/** Every module that a script names: import, export from, import(), require(), import types. */
function* namedModules(node) {
  const name =
    node.moduleSpecifier ??
    (ts.isImportTypeNode(node) ? node.argument.literal : undefined) ??
    (ts.isExternalModuleReference(node) ? node.expression : undefined) ??
    (ts.isCallExpression(node) &&
    (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
      node.expression.getText() === 'require')
      ? node.arguments[0]
      : undefined);
  if (name && ts.isStringLiteralLike(name)) yield name;
}

function checkImport(file, line, name) {
  const say = (why) => report(file, line, `imports ${name}: ${why}`);
  const target = /^\.\.?(\/|$)/.test(name) ? posix.join(posix.dirname(file), name) : undefined;

  if (USERS.some((folder) => file.startsWith(folder))) {
    if (name.startsWith('#') || /^(js\/src|dist)(\/|$)/.test(target ?? '')) {
      say("it uses the package, so it imports it by its name, 'tamis'");
    }
    return;
  }
  if (!file.startsWith('js/src/')) return;

  const from = file.split('/')[2];
  const allowed = JS_ROOMS[from];
  if (!allowed) {
    say(`js/src/${from} is no room that check-rooms.mjs knows; add it to JS_ROOMS`);
    return;
  }
  let to = 'npm';
  if (name === '#wasm') to = 'wasm';
  else if (/^js\/src(\/(index(\.[jt]s)?)?)?$/.test(target ?? '')) to = 'index.ts';
  else if (target)
    to = target.startsWith('js/src/') ? target.split('/')[2].replace(/js$/, 'ts') : target;
  else if (name.startsWith('node:')) to = 'node:';
  else if (/^tamis(\/|$)/.test(name)) to = 'tamis';

  const snake = (path) => posix.parse(path).name.replaceAll('-', '_');
  if (to === from && from === 'filters') {
    if (!FILTER_MAY_NAME[snake(file)]?.includes(snake(target))) {
      say('filters never import one another');
    }
  } else if (to === 'index.ts' || (to === 'tamis' && from !== 'node')) {
    say('index.ts is for users, nothing inside the package imports it');
  } else if (!allowed.includes(to)) {
    say(`js/src/${from} may import only ${allowed.join(', ')}`);
  }
}

function checkScript(file, text) {
  const kind = file.endsWith('ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const inside = file.startsWith('js/src/');
  const visit = (node) => {
    for (const name of namedModules(node)) checkImport(file, lineOf(name), name.text);
    if (inside && file !== MEMORY && !file.endsWith('.d.ts')) {
      const isView =
        (ts.isIdentifier(node) && /^HEAP[UF]?\d+$/.test(node.text)) ||
        (ts.isPropertyAccessExpression(node) &&
          node.name.text === 'buffer' &&
          /memory$/i.test(node.expression.getText()));
      if (isView) {
        report(
          file,
          lineOf(node),
          `says ${node.getText()}: views of wasm memory stay in ${MEMORY}`,
        );
      }
    }
    if (
      inside &&
      ts.isPropertyAccessExpression(node) &&
      node.expression.getText() === 'Math' &&
      FORMULAS.has(node.name.text)
    ) {
      report(file, lineOf(node), `says ${node.getText()}: formulas live in sizing.hpp`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

const files = ['cpp', 'bindings', 'js', 'tests', 'web-demo'].flatMap(filesUnder);
for (const file of files.filter((name) => SOURCE.test(name))) {
  const text = readFileSync(join(root, file), 'utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
  const foreign = /[^\x00-\x7f]/.exec(text);
  if (foreign) {
    const code = foreign[0].codePointAt(0).toString(16).padStart(4, '0');
    report(file, lineAt(text, foreign.index), `holds U+${code}: sources are ASCII`);
  }
  if (CPP.test(file)) checkCpp(file, text);
  if (SCRIPT.test(file)) checkScript(file, text);
}
for (const room of ['cpp/include/tamis/', 'bindings/', 'js/src/']) {
  if (!files.some((file) => file.startsWith(room)))
    report(room, 1, 'is empty: nothing was checked');
}

violations.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
for (const { file, line, sentence } of violations) console.error(`${file}:${line}: ${sentence}.`);
if (violations.length > 0) process.exitCode = 1;
else console.log(`rooms: ${files.length} files, every import and include in order`);
