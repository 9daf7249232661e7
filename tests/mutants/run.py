"""Runs the checks of the format on mutants of cpp/format: python3 run.py [--sample SECONDS --seed N] [--listed] [MODULE[.FUNCTION]...]
Each mutant is a process of its own. It makes the checks that call its function, the quickest first, up to the first
that gives something else than without the change. What survives must be in same.json, which says why it is the same
program. Anything else, or a line there that no mutant has, fails the run. --listed runs those in same.json alone."""
import argparse, json, os, random, resource, signal, sys, time, types
import checks, mutate

HERE = os.path.dirname(os.path.abspath(__file__))

def loaded(codes):
    """Loads the modules anew from these codes."""
    found = types.SimpleNamespace()
    for name in mutate.MODULES:
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(codes[name], module.__dict__)
        setattr(found, name, module)
    return found

class Baseline:
    """For each check: its result without a change, its seconds of CPU time, and the functions that it calls."""
    def __init__(self, codes, all_checks):
        self.codes, self.checks, modules = codes, all_checks, loaded(codes)
        self.values, self.costs, self.calls = {}, {}, {}
        files = {name + '.py': name for name in mutate.MODULES}
        for name, check in all_checks.items():
            start = time.process_time()
            self.values[name] = checks.value_of(check, modules)
            self.costs[name] = time.process_time() - start
            called = set()

            def profile(frame, event, _, called=called):
                if event == 'call' and frame.f_code.co_filename in files:
                    function = frame.f_code.co_qualname.split('.<locals>')[0].split('.<')[0]
                    called.add((files[frame.f_code.co_filename], function))
            sys.setprofile(profile)
            try:
                checks.value_of(check, modules)
            finally:
                sys.setprofile(None)
            self.calls[name] = called

    def checks_of(self, module, function):
        def calls(name):
            if function:
                return any(one == module and (other == function or other.startswith(function + '.'))
                           for one, other in self.calls[name])
            return any(one == module for one, _ in self.calls[name])
        # Any module that imports a constant may use it.
        names = [name for name in self.checks if calls(name)]
        return sorted(names, key=self.costs.get)

    def survives(self, module, function, place, number):
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1] == 0
        end = 1
        try:
            with open(os.devnull, 'w') as nothing:
                sys.stdout = sys.stderr = nothing
                resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
                limit(1)
                modules = loaded({**self.codes, module: mutate.compiled(module, place, number)})
                end = 0
                for name in self.checks_of(module, function):
                    limit(0.5 + 10 * self.costs[name])
                    if checks.value_of(self.checks[name], modules) != self.values[name]:
                        end = 1
                        break
        except BaseException:
            end = 1
        finally:
            os._exit(end)

def limit(seconds):  # of CPU time: then the process is killed, whatever it does
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--sample', type=float)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--listed', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    with open(os.path.join(HERE, 'same.json')) as file:
        same = {title: reason for reason, titles in json.load(file).items() for title in titles}
    codes = {name: mutate.compiled(name) for name in mutate.MODULES}
    all_mutants = [(name, *one) for name in mutate.MODULES for one in mutate.mutants(name)
                   if not options.names or {name, '%s.%s' % (name, one[1])} & {*options.names}]
    if options.listed:
        all_mutants = [one for one in all_mutants if one[1] in same]
    if options.sample is not None:
        seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
        print('mutants of cpp/format: a sample for %g s, --seed %d' % (options.sample, seed), flush=True)
        random.Random(seed).shuffle(all_mutants)
    baseline = Baseline(codes, checks.all_checks(loaded(codes)))
    start = time.time()
    print('%d checks in %.1f s, %d mutants' % (
        len(baseline.checks), sum(baseline.costs.values()), len(all_mutants)), flush=True)
    done, survivors = 0, []
    for module, title, function, place, number in all_mutants:
        if options.sample is not None and time.time() - start > options.sample:
            break
        done += 1
        if baseline.survives(module, function, place, number):
            survivors.append(title)
            if title not in same:
                print('SURVIVES: ' + title, flush=True)
    unknown = [title for title in survivors if title not in same]
    run = {title for _, title, *_ in all_mutants[:done]}
    killed = [title for title in same if title in run and title not in survivors]
    gone = [title for title in same if title not in run] if options.sample is None and not options.names and not options.listed else []
    for title in killed:
        print('IS SHOWN, but same.json has it: ' + title)
    for title in gone:
        print('IS NO MUTANT, but same.json has it: ' + title)
    print('mutants of cpp/format: %d run, %d shown, %d are the same program, %d survive, in %d s' % (
        done, done - len(survivors), len(survivors) - len(unknown), len(unknown),
        time.time() - start))
    sys.exit(1 if unknown or killed or gone else 0)

if __name__ == '__main__':
    main()
