// Read before each suite. Jest keeps 100 frames of an error, which takes 30 us. Node keeps 10, which takes 10 us. Each
// `expect` makes an error, and the suites call it 600,000 times.
Error.stackTraceLimit = 10;
