// Builds and runs cpp/bench; arguments go to Google Benchmark.

import { join } from 'node:path';
import { cmake, nativeOptions } from './build.mjs';
import { run } from './run.mjs';

const folder = await cmake('native', nativeOptions);
await run(join(folder, 'tamis_bench'), process.argv.slice(2));
