import { execFileSync } from 'node:child_process'; import { writeFileSync, readFileSync } from 'node:fs'; import { join } from 'node:path';
import { serveBundle } from '../../../tests/e2e/bundle.mjs'; import { startEngine } from '../../../tests/e2e/engines/index.mjs'; import { root } from '../../scripts/run.mjs';
const CSP = "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'"; const body = readFileSync(process.argv[3], 'utf8');
const src = body + `
const times = {}; for (let r = 0; r < 21; r++) for (const k in all) { const t = performance.now(); let c = 0; do { all[k](); c++; } while (performance.now() - t < 12); (times[k] ??= []).push((performance.now() - t) * 1e6 / c / n); }
globalThis.outcome = times;`;
const med = (a) => [...a].sort((p, q) => p - q)[a.length >> 1]; const out = {}; const names = process.argv[2].split(',');
for (const e of names) { let o;
 if (e === 'node') { const file = join(root, 'build/bench/tmpm.mjs'); writeFileSync(file, src + 'console.log(JSON.stringify(outcome))'); o = JSON.parse(execFileSync('node', [file], { encoding: 'utf8' })); }
 else { const en = await startEngine(e); const server = await serveBundle({ sources: { 'page.js': src }, resolveDir: root, csp: CSP }); try { const page = await en.open(server.url); o = await page.evaluate('globalThis.outcome'); } finally { await server.close(); await en.close(); } }
 for (const k in o) (out[k] ??= []).push(`${med(o[k]).toFixed(1).padStart(7)} ${Math.min(...o[k]).toFixed(1).padStart(7)}`); }
console.log(''.padEnd(22), names.map((n) => n.padStart(15)).join(' |')); for (const k in out) console.log(k.padEnd(22), out[k].join(' |'));
