extern "C" bool knows(const char* name);

int main() { return knows("ada") && !knows("linus") ? 0 : 1; }
