// What the splitter cuts, in small: two types that share code which no other has, a third, and constructors.

typedef int (*Ask)(void);
struct Entry {
  Ask ask;
  const char* name;
};

__attribute__((import_module("env"), import_name("now"))) int now(void);

int of_all(int x) { return 7 * x; }
int of_two(int x) { return 100 * now() + of_all(x); }
static int ask_ribbon(void) { return of_two(1); }
static int ask_exact(void) { return of_two(2); }
static int ask_cuckoo(void) { return of_all(3); }
static const struct Entry ribbon = {ask_ribbon, "ribbon"};
static const struct Entry exact = {ask_exact, "exact"};
static const struct Entry cuckoo = {ask_cuckoo, "cuckoo"};
__attribute__((used)) const struct Entry* tamis_entries[] = {0, &ribbon, &exact, &cuckoo};
__attribute__((used)) const char covered[] = "bytes";

int started;
__attribute__((constructor)) void __embind_init_tamis(void) { started += now(); }
__attribute__((constructor)) void __embind_init_ribbon(void) { started += 10 * now(); }
// As C++ names a function of its file alone.
static void start_cuckoo(void) __asm__("_ZL20__embind_init_cuckoov");
__attribute__((constructor)) static void start_cuckoo(void) { started += 100 * now(); }

/** What a type answers; -1: it has not come. */
__attribute__((export_name("tamis_ask"))) int ask(int type) {
  return tamis_entries[type] ? tamis_entries[type]->ask() : -1;
}
__attribute__((export_name("tamis_name"))) const char* name_of(int type) {
  return tamis_entries[type]->name;
}
__attribute__((export_name("tamis_started"))) int get_started(void) { return started; }
__attribute__((export_name("tamis_cuckoo_only"))) int only(void) { return 3; }
