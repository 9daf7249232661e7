// Loads the plug-in that its argument names, and asks it.
#include <dlfcn.h>

int main(int, char** arguments) {
  void* plugin = dlopen(arguments[1], RTLD_NOW);
  if (plugin == nullptr) return 2;
  const auto knows = reinterpret_cast<bool (*)(const char*)>(dlsym(plugin, "knows"));
  return knows != nullptr && knows("grace") && !knows("linus") ? 0 : 1;
}
