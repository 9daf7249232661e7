// A small program for cut.mjs. It has a base, two types with code that only they share, and a third type that shares
// data with one of them. The code behind #ifdef must be refused.

#define EXPORT(part, name) __attribute__((export_name(part ":" name), noinline))
#define APART __attribute__((noinline))

typedef int (*Ask)(void);
struct Entry {
  Ask ask;
  const char* name;
};

// Provided by the loader. In this test it takes no arguments, and returns 5.
int _embind_register_function(void);

__attribute__((used)) const char covered[] = "bytes";
static const struct Entry* entries[4];
static volatile int started;
// These data are next to each other with zeros between them, but belong to different parts.
static volatile int asked_ribbon[2] = {1, 0};
static volatile int asked_exact[2] = {1, 0};
static volatile int asked_cuckoo[2] = {1, 0};
static volatile int weights[] = {3, 4};

APART static int of_all(int x) { return 7 * x; }
APART static int of_Retrieval(int x) { return 100 * _embind_register_function() + of_all(x); }
static int ask_ribbon(void) { return of_Retrieval(1) + 1000 * asked_ribbon[0]++; }
static int ask_exact(void) { return of_Retrieval(weights[1]) + 1000 * asked_exact[0]++; }
static int ask_cuckoo(void) { return of_all(weights[0]) + 1000 * asked_cuckoo[0]++; }
static const struct Entry ribbon = {ask_ribbon, "ribbon"};
static const struct Entry exact = {ask_exact, "exact"};
static const struct Entry cuckoo = {ask_cuckoo, "cuckoo"};

EXPORT("base", "load_base") void load_base(void) { started += _embind_register_function(); }
EXPORT("ribbon", "load_ribbon") void load_ribbon(void) {
  entries[1] = &ribbon;
  started += 10;
}
EXPORT("exact", "load_exact") void load_exact(void) {
  entries[2] = &exact;
  started += 100;
}
EXPORT("cuckoo", "load_cuckoo") void load_cuckoo(void) { entries[3] = &cuckoo; }
EXPORT("cuckoo", "load_more") void load_more(void) { started += 1000; }

/** Returns a type's answer, plus 1000 for each earlier question; -1 if the type is not loaded. */
EXPORT("base", "_ask") int ask(int type) { return entries[type] ? entries[type]->ask() : -1; }
EXPORT("base", "_name") const char* name_of(int type) { return entries[type]->name; }
EXPORT("base", "_started") int get_started(void) { return started; }
EXPORT("cuckoo", "_only") int only(void) { return asked_cuckoo[0]; }

#ifdef REFUSED
EXPORT("taker", "_take") Ask take(void) { return _embind_register_function; }
EXPORT("caller", "_call") int call(void) { return only() + 1; }
#endif

#ifdef CONSTRUCTOR
// This constructor calls an import, so the compiler cannot run it in advance.
__attribute__((constructor)) static void begin_early(void) { started = _embind_register_function(); }
#endif
