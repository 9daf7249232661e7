"""Mutants of the C++ positions, fingerprints, seeds, ranges and Rice code: python3 cpp.py FOLDER [--only-ranges]
One program has them all, in a copy of the core (schemata.hpp). It runs the tests of golden files and of FORMAT.md's
rows once for each. A mutant that survives must be in same-cpp.json, which says why it is the same program."""
import argparse, json, os, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, '..', '..'))

# Places with mutants: a file, from the line of the first text up to the line of the second. '': to the end of the file.
PLACES = [
    ('include/tamis/hash.hpp', 'fmix64(std::uint64_t x)', 'unfmix64('),
    ('include/tamis/hash.hpp', 'splitmix64(std::uint64_t x)', '// The way a filter hashes'),
    ('include/tamis/hash.hpp', 'mix(Hash hash)', '// The same scheme'),
    ('include/tamis/detail/mcg_positions.hpp', 'next() noexcept', 'std::uint64_t x_;'),
    ('include/tamis/hash/siphash.hpp', 'struct SipState', ''),
    ('include/tamis/detail/modulus.hpp', 'class Modulus', ''),
    ('include/tamis/detail/retrieval.hpp', 'class RibbonPlaces', 'class Retrieval'),
    ('include/tamis/detail/subfilter.hpp', 'static Hasher hasher_of', '// An empty subfilter'),
    ('include/tamis/filters/blocked_bloom.hpp', 'block_at(', 'Words words_;'),
    ('include/tamis/filters/cuckoo.hpp', 'class CuckooPlaces', 'class CuckooFilter {'),
    ('include/tamis/filters/binary_fuse.hpp', 'class FusePlaces', 'class BinaryFuseFilter {'),
    ('include/tamis/filters/d_left_counting.hpp', 'd_left_shifts(', 'class DLeftCountingFilter'),
    ('include/tamis/sizing/ribbon.hpp', 'ribbon_starts(', '// True if the rows'),
    ('include/tamis/routes.hpp', 'route_seed(', ''),
    ('src/routes.cpp', 'put_bits', ''),
    ('src/hash/bloom_scheme.cpp', 'namespace', ''),
    ('src/hash/foreign_hash.cpp', 'namespace', 'metro64('),
    ('src/hash/foreign_schemes.cpp', 'namespace', ''),
    ('include/tamis/detail/masked_xor.hpp', 'fold_bits(', '}  // namespace'),
    ('include/tamis/detail/retrieval_inline.hpp', 'find_place(', 'bool Retrieval::matches(Hash hash)'),
    ('src/filters/d_left_counting.cpp', 'fingerprint_of', 'DLeftCountingFilter::find('),
    ('include/tamis/filters/cuckoo_inline.hpp', 'home_of', 'TAMIS_INLINE bool'),
    ('src/filters/cuckoo.cpp', 'is_in_words', 'CuckooFilter::find('),
    ('include/tamis/filters/binary_fuse_inline.hpp', 'holds(', 'TAMIS_INLINE bool'),
    ('src/filters/iblt.cpp', 'InvertibleBloomTable::places(', 'void InvertibleBloomTable::add('),
    ('src/url/rice.cpp', 'namespace', ''),
    ]
# The other form of `hi`, for each place that has one: the file, the text, and its replacement.
RANGES = [
    ('include/tamis/hash.hpp', 'n <= kNarrow', 'n < 0'),
    ('include/tamis/detail/mcg_positions.hpp', 'reduce(x_, bits_)', 'mulhi(x_, bits_)'),
    ('include/tamis/filters/blocked_bloom.hpp', 'reduce(g, blocks())', 'mulhi(g, blocks())'),
    ('include/tamis/filters/d_left_counting.hpp', 'reduce(mixed << skip, buckets)', 'mulhi(mixed << skip, buckets)'),
    ('include/tamis/filters/cuckoo.hpp', '((g >> 32) * buckets_) >> 32', 'mulhi(g, buckets_)'),
    ('include/tamis/filters/cuckoo.hpp', '(spread * (buckets_ / 2)) >> 32',
     'mulhi((std::uint64_t{fingerprint} << 32 | noise >> 32) << (32 - fingerprint_bits_), buckets_ / 2)'),
    ('include/tamis/filters/binary_fuse.hpp', '((g >> 32) * first_slots_) >> 32', 'mulhi(g, first_slots_)'),
    ('include/tamis/detail/retrieval.hpp', '((g >> 32) * starts_) >> 32', 'mulhi(g, starts_)'),
    ('include/tamis/routes.hpp', 'mulhi_narrow(mixed, places)', '((mixed >> 32) * places) >> 32'),
    ('src/routes.cpp', 'reduce(g, blocks)', 'mulhi(g, blocks)'),
    ('src/hash/bloom_scheme.cpp', 'reduce(hash, request.bits)', 'mulhi(hash, request.bits)'),
    ('src/filters/d_left_counting.cpp', 'reduce(g, buckets())', 'mulhi(g, buckets())'),
    ('src/filters/iblt.cpp', 'reduce(splitmix64(g + j), partition)', 'mulhi(splitmix64(g + j), partition)'),
]
TAGS = {'+': 'Add', '-': 'Sub', '*': 'Mul', '/': 'Div', '%': 'Mod', '<<': 'Shl', '>>': 'Shr', '&': 'And', '|': 'Or',
        '^': 'Xor', '<': 'Lt', '<=': 'Le', '>': 'Gt', '>=': 'Ge', '==': 'Eq', '!=': 'Ne'}
ASSIGNED = {'+': '-', '-': '+', '*': '+', '^': '|', '|': '&', '&': '|', '<<': '>>', '>>': '<<', '%': '/'}
# clang-format puts spaces around binary operators, and around nothing else that looks like one.
TOKEN = re.compile(r' (<<|>>|<=|>=|==|!=|[-+*/%&|^<>]) |(?<![\w.\'])(0x[0-9a-f\']+|\d[\d\']*)(?![\w.\'])')
ASSIGNMENT = re.compile(r'^(\s*)([\w.\[\]*]+(?:->[\w.]+)?) ([-+*^|&%]|<<|>>)= (.*);$')
SKIPPED = re.compile(r'^\s*(#|//|template|static_assert|using|enum|namespace|constexpr \w+ k\w+|case)|"|operator|\[\[gnu|'
                     r'constexpr (auto|bool|[\w:]+) k[A-Z]|std::array<')
# Of which the first are the quickest.
TESTS = ['detail/format_rows_test.cpp', 'detail/foreign_hash_test.cpp', 'detail/hash_test.cpp', 'url/rice_test.cpp',
         'vectors/golden_test.cpp', 'filters/bloom_positions_test.cpp']

class Schemata:
    """Texts of the core, by their paths. The mutants go into them."""
    def __init__(self):
        self.texts, self.titles, self.seen, self.macros = {}, [], {}, ''
        for at, _, names in os.walk(os.path.join(ROOT, 'cpp')):
            for name in names:
                if name.endswith(('.hpp', '.cpp', '.def')):
                    path = os.path.join(at, name)
                    with open(path) as file:
                        self.texts[os.path.relpath(path, os.path.join(ROOT, 'cpp'))] = file.read()

    def write(self, folder):  # what is there already keeps its time, so that it is not compiled again
        for path, text in self.texts.items():
            to = os.path.join(folder, path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            if os.path.exists(to):
                with open(to) as file:
                    if file.read() == text:
                        continue
            with open(to, 'w') as file:
                file.write(text)

    def new(self, file, line, label):
        shown = re.sub(r'TAMIS_OTHER_\d+', '', line.strip())
        title = '%s | %s | %s' % (file.split('/')[-1], shown, label)
        self.seen[title] = self.seen.get(title, 0) + 1
        if self.seen[title] > 1:
            title += ' #%d' % self.seen[title]
        self.titles.append(title)
        return len(self.titles) - 1

    def token(self, file, line):
        def change(found):
            op, number = found.groups()
            if op:
                id = self.new(file, line, op)
                return ' %s tamis_mutants::Infix<tamis_mutants::%s>{%d} %s ' % (op, TAGS[op], id, op)
            value = int(number.replace("'", ''), 0)
            other = (value + 1) % 2**64
            id = self.new(file, line, '%s to %d' % (number, other))
            return 'tamis_mutants::constant(%d, %s, %dull)' % (id, number, other)
        return change

    def line(self, file, line):
        code, mark, comment = line.partition('//')
        if SKIPPED.search(code) or not code.strip():
            return line
        whole = ASSIGNMENT.match(code.rstrip())
        changed = TOKEN.sub(self.token(file, code), code)
        if whole and 'for (' not in code and whole[2] != 'return':
            indent, op = whole[1], whole[3]
            id = self.new(file, code, op + '=')
            left, rest = changed.strip().split(' %s= ' % op, 1)
            changed = '%s{ if (tamis_mutants::is_active(%d)) %s %s= %s else %s %s= %s }' % (
                indent, id, left, ASSIGNED[op], rest, left, op, rest)
        return changed + mark + comment

    def places(self):
        for file, first, last in PLACES:
            lines = self.texts[file].split('\n')
            start = next(i for i, line in enumerate(lines) if first in line)
            end = next(i for i, line in enumerate(lines) if i > start and last in line) if last else len(lines)
            lines[start:end] = [self.line(file, line) for line in lines[start:end]]
            self.texts[file] = '\n'.join(lines)

    def ranges(self):
        for file, text, other in RANGES:
            if self.texts[file].count(text) != 1:
                sys.exit('%s has %d times: %s' % (file, self.texts[file].count(text), text))
            # A macro, so that the expression in it has mutants of its own.
            id = self.new(file, text, 'the other form of hi')
            name = 'TAMIS_OTHER_%d' % id
            self.macros += '#define %s(...) (tamis_mutants::is_active(%d) ? (%s) : (__VA_ARGS__))\n' % (name, id, other)
            self.texts[file] = self.texts[file].replace(text, '%s(%s)' % (name, text))

    def include(self, file):
        head = '#pragma once\n#include "mutants/schemata.hpp"\n#include "mutants-others.hpp"\n'
        self.texts[file] = self.texts[file].replace('#pragma once\n', head, 1)

def built(folder, only_ranges):
    copy = os.path.join(folder, 'cpp')
    schemata = Schemata()
    schemata.ranges()
    if not only_ranges:
        schemata.places()
    for name in 'hash', 'hash/siphash', 'detail/modulus':
        schemata.include('include/tamis/%s.hpp' % name)
    schemata.texts['include/mutants-others.hpp'] = '#pragma once\n' + schemata.macros
    schemata.write(copy)
    sources = [os.path.join(copy, path) for path in sorted(schemata.texts) if re.match(r'src/.*\.cpp$', path)]
    sources += [os.path.join(ROOT, 'tests', 'cpp', name) for name in [*TESTS, 'support/broken.cpp', 'support/test_calloc.cpp']]
    flags = ['-std=c++20', '-O1', '-w', '-Wno-narrowing', '-ffp-contract=off', '-include', 'xxhash.h',
             '-I' + os.path.join(copy, 'include'), '-I' + os.path.join(ROOT, 'tests'), '-I' + os.path.join(ROOT, 'tests', 'cpp'),
             '-DTAMIS_VECTORS_DIR="%s"' % os.path.join(ROOT, 'tests', 'vectors')]
    rules = ['rule cxx\n  command = g++ %s -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n' % ' '.join(
        "'%s'" % flag for flag in flags), 'rule link\n  command = g++ -Wl,--wrap=calloc $in -lgtest -lgtest_main -o $out\n']
    objects = []
    for source in sources:
        name = os.path.relpath(source, ROOT).replace('/', '_').replace('..', '') + '.o'
        objects.append(name)
        rules.append('build %s: cxx %s\n' % (name, source))
    rules.append('build mutants: link %s\n' % ' '.join(objects))
    with open(os.path.join(folder, 'build.ninja'), 'w') as file:
        file.write('\n'.join(rules))
    done = subprocess.run(['ninja', '-C', folder, '-j', '2', 'mutants'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        sys.exit(done.stdout[-6000:])
    return schemata.titles

def is_shown(program, number):
    env = {**os.environ, 'TAMIS_MUTANT': str(number)}
    try:
        done = subprocess.run(
            ['bash', '-c', 'ulimit -c 0 -t 20 -v 8000000; exec "$0" --gtest_brief=1 --gtest_break_on_failure', program], env=env,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder')
    parser.add_argument('--only-ranges', action='store_true')
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    os.makedirs(options.folder, exist_ok=True)
    with open(os.path.join(HERE, 'same-cpp.json')) as file:
        same = {title: reason for reason, titles in json.load(file).items() for title in titles}
    start = time.time()
    titles = built(options.folder, options.only_ranges)
    program = os.path.join(options.folder, 'mutants')
    if is_shown(program, -1):
        sys.exit('without a mutant the tests fail: ' + program)
    print('%d mutants of C++, compiled in %d s' % (len(titles), time.time() - start), flush=True)
    survivors = []
    for number, title in enumerate(titles):
        if is_shown(program, number):
            continue
        survivors.append(title)
        if title not in same:
            print('SURVIVES: ' + title, flush=True)
    unknown = [title for title in survivors if title not in same]
    shown = [title for title in same if title in titles and title not in survivors]
    gone = [] if options.only_ranges else [title for title in same if title not in titles]
    for what, some in (('IS SHOWN, but same-cpp.json has it', shown),
                       ('IS NO MUTANT, but same-cpp.json has it', gone)):
        for title in some:
            print('%s: %s' % (what, title))
    print('mutants of C++: %d run, %d shown, %d are the same program, %d survive, in %d s' % (
        len(titles), len(titles) - len(survivors), len(survivors) - len(unknown), len(unknown), time.time() - start))
    sys.exit(1 if unknown or shown or gone else 0)

if __name__ == '__main__':
    main()
