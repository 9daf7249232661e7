// WebKitGTK by plain WebDriver: its driver, its MiniBrowser, and an X server without a screen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { findMiniBrowser, findProgram } from '../../../js/scripts/setup.mjs';
import { findFreePort } from '../free-port.mjs';
import { PATIENCE_MS } from '../patience.mjs';

function programs() {
  const found = {
    driver: findProgram('WebKitWebDriver'),
    browser: findMiniBrowser(),
    display: findProgram('Xvfb'),
  };
  for (const [what, path] of Object.entries(found)) {
    if (!path) throw new Error(`no ${what}: install Debian's "webkit2gtk-driver" and "xvfb"`);
  }
  return found;
}

// A signal ends this process without 'exit', unless somebody listens.
const exit = () => process.exit(1);

/** A program in a process group of its own, which ends with this process at the latest. */
function start(file, args, options) {
  const child = spawn(file, args, { detached: true, stdio: 'ignore', ...options });
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  };
  const ended = once(child, 'exit');
  ended.catch(() => {}); // where it never started: spawning says so below
  process.once('exit', kill);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, exit);
  return {
    child,
    spawned: once(child, 'spawn'),
    end: async () => {
      kill();
      await ended;
      process.off('exit', kill);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, exit);
    },
  };
}

/** An X server; it chooses a free display itself, and says which. */
async function startDisplay(file, signal) {
  const args = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const server = start(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  await server.spawned;
  const exit = once(server.child, 'exit').then(([code]) => {
    throw new Error(`Xvfb ended with ${code}`);
  });
  const lines = createInterface({ input: server.child.stdio[3] });
  const [display] = await Promise.race([once(lines, 'line', { signal }), exit]);
  exit.catch(() => {}); // from now on it may end
  return { name: `:${display}`, end: server.end };
}

async function command(address, method, path, { body, signal } = {}) {
  const response = await fetch(`${address}${path}`, {
    method,
    body: body && JSON.stringify(body),
    signal,
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
}

async function startDriver(file, env, signal) {
  const port = await findFreePort();
  const driver = start(file, [`--port=${port}`, '--host=127.0.0.1'], { env });
  await driver.spawned;
  const address = `http://127.0.0.1:${port}`;
  const { child, end } = driver;
  while (child.exitCode === null && child.signalCode === null && !signal.aborted) {
    try {
      await command(address, 'GET', '/status', { signal });
      return { address, end };
    } catch {
      await wait(50); // not listening yet
    }
  }
  await end();
  throw new Error(`${file} did not answer; it ended with ${child.exitCode ?? child.signalCode}`);
}

/** The errors that the page saw. bundle.mjs puts the script that records them into each page. */
const recorded = 'globalThis.complaints ?? []';

async function startSession(address, binary, signal) {
  const capabilities = {
    alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } },
  };
  const body = { capabilities };
  const { sessionId } = await command(address, 'POST', '/session', { body, signal });
  const send = (method, path, body) =>
    command(address, method, `/session/${sessionId}${path}`, { body });
  const never = 2 ** 31 - 1;
  await send('POST', '/timeouts', { script: never, pageLoad: never });
  return send;
}

async function startOnce({ driver: driverFile, browser, display: displayFile }, signal) {
  const home = mkdtempSync(join(tmpdir(), 'tamis-webkit-'));
  const forget = () => rmSync(home, { recursive: true, force: true });
  process.once('exit', forget);
  const running = [];
  const close = async () => {
    for (const { end } of running.toReversed()) await end();
    process.off('exit', forget);
    forget();
  };
  try {
    const display = await startDisplay(displayFile, signal);
    running.push(display);
    const own = { DISPLAY: display.name, HOME: home, XDG_RUNTIME_DIR: home };
    const env = { ...process.env, ...own, GDK_BACKEND: 'x11' };
    const driver = await startDriver(driverFile, env, signal);
    running.push(driver);
    const send = await startSession(driver.address, browser, signal);
    running.push({ end: () => send('DELETE', '').catch(() => {}) });
    return { name: 'webkit', open: (url) => openPage(send, url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts WebKit, again and with more patience if it fails: driver and browser each take a port that was free a moment
 * before. If another process has taken the browser's port, the driver may wait for ever.
 */
export async function startWebKit() {
  const found = programs();
  for (let patience = PATIENCE_MS / 8; ; patience *= 2) {
    try {
      return await startOnce(found, AbortSignal.timeout(patience));
    } catch (error) {
      if (patience > PATIENCE_MS) throw error;
      console.error(`WebKit did not start: ${error.message}; it is tried again`);
    }
  }
}

/** The one window shows the page. */
async function openPage(send, url) {
  await send('POST', '/url', { url });
  const evaluate = async (expression) => {
    const script = `const done = arguments[0];
      Promise.resolve(${expression}).then(
        (value) => done({ json: JSON.stringify(value) }),
        (error) => done({ error: String(error) }),
      );`;
    const { json, error } = await send('POST', '/execute/async', { script, args: [] });
    if (error !== undefined) throw new Error(error);
    // The driver gives null for undefined.
    return json ? JSON.parse(json) : undefined;
  };
  return {
    evaluate,
    complaints: () => evaluate(recorded),
    close: () => send('POST', '/url', { url: 'about:blank' }),
  };
}
