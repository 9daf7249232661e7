// Starts an nginx for one test file. It serves a folder, with range requests, and logs the size of each answer.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../folders.mjs';
import { onFreePort, startServer } from '../servers.mjs';

/** The configuration; `files` is the folder to serve. Some paths behave like hosts that are not set up for it. */
const configOf = (folder, files, port) => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr notice;
events {}
http {
  types {
    text/html html;
    text/javascript js;
    application/json json;
  }
  default_type application/octet-stream;
  log_format asked escape=json '{"status":$status,"bytes":$bytes_sent,"body":$body_bytes_sent,"path":"$request_uri"}';
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

/** Serves a folder. Returns its `url`, `nextAsked` to read the log, and `stop`. */
export async function startNginx(files) {
  const folder = makeFolder('nginx');
  const config = join(folder, 'nginx.conf');
  const args = ['-p', folder, '-e', 'stderr', '-c', config];
  const { url, stop } = await onFreePort(async (port) => {
    writeFileSync(config, configOf(folder, files, port));
    const server = await startServer(/start worker process /, 'nginx', args);
    return { url: `http://127.0.0.1:${port}/`, stop: server.stop };
  });
  const log = join(folder, 'access.log');
  let seen = 0;
  return {
    url,
    /**
     * Waits for at least `least` more answers with manifests, pages or lists. Returns for each its status, path, range,
     * and size with headers. It has to wait because nginx writes its log after it answers.
     */
    async nextAsked(least) {
      for (;;) {
        const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
        const all = lines
          .map((line) => JSON.parse(line))
          .filter(({ path }) => /manifest|[.](pages|tamis)$/.test(path));
        const next = all.slice(seen);
        if (next.length >= least) {
          seen = all.length;
          return next;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    stop,
  };
}
