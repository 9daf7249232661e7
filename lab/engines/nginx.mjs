// An nginx for one test file. It serves a folder, with ranges, and logs the bytes of each answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../tests/e2e/free-port.mjs';
import { makeFolder } from '../folders.mjs';

/** The configuration. `files` is the served folder. Some paths serve it as hosts do that are not set up for it. */
const configOf = (folder, files, port) => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  types {
    text/html html;
    text/javascript js;
    application/json json;
  }
  default_type application/octet-stream;
  log_format asked '$status $bytes_sent $body_bytes_sent "$request_uri" "$http_range"';
  access_log ${folder}/access.log asked;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${files};
    location ~ ^/[^/]+\\.pages$ {
      add_header Cache-Control "public, max-age=31536000, immutable";
    }
    location /cors/ {
      alias ${files}/;
      add_header Access-Control-Allow-Origin "*";
    }
    location /whole/ {
      alias ${files}/;
      max_ranges 0;
    }
    location /gzip/ {
      alias ${files}/;
      gzip_static always;
      gunzip off;
    }
    location /zipping/ {
      alias ${files}/;
      gzip on;
      gzip_types application/octet-stream;
    }
    location /pages/ {
      alias ${files}/;
      error_page 404 =200 /index.html;
    }
  }
}
`;

/** Serves a folder. Returns its `url`, `asked` for the log, and `stop`. */
export async function startNginx(files) {
  const folder = makeFolder('nginx');
  const port = await findFreePort();
  writeFileSync(join(folder, 'nginx.conf'), configOf(folder, files, port));
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  const server = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  let failure;
  server.stderr.on('data', (text) => {
    printed += text;
  });
  server.on('error', (error) => {
    failure = error;
  });
  const url = `http://127.0.0.1:${port}/`;
  const log = join(folder, 'access.log');
  // Somebody else may answer on the port.
  while (!existsSync(log) || statSync(log).size === 0) {
    if (failure) throw failure;
    if (server.exitCode !== null) {
      if (/Address already in use/.test(printed)) return startNginx(files);
      throw new Error(`nginx ended:\n${printed}`);
    }
    await fetch(url, { method: 'HEAD' }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    /**
     * Waits for at least `least` answers whose path matches. Returns the status, path, range, and bytes with headers of
     * each. The server writes its log after it has answered.
     */
    async asked(pattern, least) {
      for (;;) {
        const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
        const found = lines
          .map((line) => /^(\d+) (\d+) (\d+) "([^"]*)" "([^"]*)"$/.exec(line).slice(1))
          .map(([status, bytes, body, path, range]) => ({
            status: Number(status),
            bytes: Number(bytes),
            body: Number(body),
            path,
            range,
          }))
          .filter(({ path }) => pattern.test(path));
        if (found.length >= least) return found;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async stop() {
      server.kill();
      if (server.exitCode === null) await once(server, 'close');
    },
  };
}
