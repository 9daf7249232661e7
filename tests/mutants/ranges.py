"""The other form of `hi` (FORMAT.md, section 4.1) in cpp/format: python3 ranges.py prints, for each mutant, the checks
that should show it and do not."""
import json, os, re
import checks, mutate
from run import loaded

# The golden files that show `hi` of schemes.py. A binary-fuse has its own.
SHOW_HI = [name for name in sorted(os.listdir(os.path.join(checks.VECTORS, 'v1'))) if re.search(r'-hi(-[a-z]+)?\.', name)]
HI = '(x >> 32) * m >> 32 if m <= 2**32 else x * m >> 64'
# The module, its text, the replacement, and the checks. Each of these must show the fault alone.
MUTANTS = [
    ('schemes', HI, 'x * m >> 64', [*('v1/' + name for name in SHOW_HI), 'hi', 'positions of FORMAT.md', 'blocks',
                                    'buckets', 'cuckoo', 'retrieval', 'cells', 'redis']),
    ('schemes', HI, '(x >> 32) * m >> 32', ['hi', 'positions of FORMAT.md', 'blocks', 'cells']),
    ('schemes', HI, '(x >> 32) * (m % 2**32) >> 32', ['hi', 'positions of FORMAT.md', 'blocks', 'cells']),
    ('read_format', '(g >> 32) * (segments << log) >> 32', 'g * (segments << log) >> 64',
     ['v1/binary-fuse-hi-3.tamis', 'v1/binary-fuse-hi-4.tamis', 'fuse']),
    ('read_format', '((mark << 32 | y) >> f) * (m // 2) >> 32', '((mark << 32 | y) << 32 - f) * (m // 2) >> 64',
     ['v1/cuckoo-hi.tamis', 'cuckoo']),
    ('pages', 'return fmix64(h + splitmix64(seed ^ constant) & M64) * places >> 64',
     'return (fmix64(h + splitmix64(seed ^ constant) & M64) >> 32) * places >> 32', ['routes of pages', 'redis'])]

def main():
    codes = {name: mutate.compiled(name) for name in mutate.MODULES}
    right = loaded(codes)
    made = {name: check for make in (checks.positions, checks.golden, checks.routes) for name, check in make(right).items()}
    values = {name: checks.value_of(made[name], right) for *_, names in MUTANTS for name in names}
    found = []
    for module, text, other, names in MUTANTS:
        source = mutate.source(module)
        assert source.count(text) == 1, (module, text)
        code = compile(source.replace(text, other), module + '.py', 'exec')
        wrong = loaded({**codes, module: code})
        found.append([module, other, [name for name in names if checks.value_of(made[name], wrong) == values[name]]])
    print(json.dumps(found))

if __name__ == '__main__':
    main()
