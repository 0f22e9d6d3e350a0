import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { respond } from '../features/oauth/pages/respond.ts';
import { html } from '../features/oauth/pages/views/html.ts';
import { badge, layout, type Page } from '../features/oauth/pages/views/page.ts';
import { accepts } from './accepts.ts';

/** The path of the console, and the prefix of its files. */
export const consolePath = '/console';

/** Where the build puts the console: beside the built service, and in `dist/` for the service that runs from its source. */
export const consoleFolder = join(
  import.meta.dirname,
  basename(import.meta.dirname) === 'web' ? '../../../dist/service/console' : 'console',
);

/** Nothing of a page may come from elsewhere, go elsewhere or stand in another page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.map': 'application/json',
};

interface ConsoleFile {
  readonly type: string;
  readonly content: Buffer;
  /** Smaller, where that is worth it. */
  readonly zipped: Buffer | undefined;
  /** Weak, because it is the same for the compressed content. @see RFC 9110, section 8.8.3.3 */
  readonly tag: string;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

const pageName = 'index.html';
/** Smaller files are not compressed. */
const zippedBytesMin = 1024;

/**
 * The files of the console, by name. They are read when they are first asked for; only files of the folder itself are served.
 *
 * @returns undefined when the console was not built
 */
function openFolder(folder: string): ((name: string) => ConsoleFile | undefined) | undefined {
  let names: ReadonlySet<string>;
  try {
    names = new Set(readdirSync(folder));
  } catch {
    return undefined;
  }
  if (!names.has(pageName)) return undefined;
  const files = new Map<string, ConsoleFile>();
  return name => {
    const type = types[extname(name)];
    const known = files.get(name);
    if (known || type === undefined || !names.has(name)) return known;
    const content = readFileSync(join(folder, name));
    const file: ConsoleFile = {
      ...{ type, content, isImmutable: name !== pageName },
      zipped: content.length >= zippedBytesMin ? gzipSync(content, { level: 9 }) : undefined,
      tag: `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    };
    files.set(name, file);
    return file;
  };
}

/** Whether the console was built. */
export function isConsoleBuilt(folder: string = consoleFolder): boolean {
  return openFolder(folder) !== undefined;
}

/**
 * Serves the console: static files, without a credential. What the page shows and does goes through the control API, with the control
 * token that its reader enters or that stands in the fragment of its address, which browsers do not send.
 */
export function registerConsole(site: FastifyInstance, folder: string = consoleFolder): void {
  let open: ReturnType<typeof openFolder>;

  function serve(request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply {
    open ??= openFolder(folder);
    if (!open) return respond(reply, missingPage());
    const file = open(name);
    if (!file) return respond(reply, unknownPage());
    reply
      .headers(headers)
      .header('etag', file.tag)
      .header('vary', 'accept-encoding')
      .header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    if (matches(request.headers['if-none-match'], file.tag)) return reply.code(304).send();
    reply.type(file.type);
    if (!file.zipped || !accepts(request.headers['accept-encoding'], 'gzip')) return reply.send(file.content);
    return reply.header('content-encoding', 'gzip').send(file.zipped);
  }

  site.get(consolePath, (request, reply) => serve(request, reply, pageName));
  site.get(`${consolePath}/`, (request, reply) => serve(request, reply, pageName));
  site.get<{ Params: { name: string } }>(`${consolePath}/:name`, (request, reply) =>
    serve(request, reply, request.params.name),
  );
}

/** Whether `If-None-Match` has the tag, weak or strong: a proxy may have changed that. @see RFC 9110, section 13.1.2 */
function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  const opaque = tag.replace('W/', '');
  return (ifNoneMatch ?? '').split(',').some(one => ['*', opaque].includes(one.trim().replace(/^W\//, '')));
}

function missingPage(): Page {
  const title = 'The console is not built';
  const main = html`${badge('!', 'large')}
<h1>${title}</h1>
<p class="lead">This service runs from its source, and its console is not in <code>dist/</code> yet.</p>
<p>Build it, then load this page again:</p>
<p><code>npm run build</code></p>`;
  return { status: 404, html: layout({ lang: 'en' }, title, main), formActions: [] };
}

function unknownPage(): Page {
  const title = 'There is no such page';
  const main = html`${badge('?', 'large')}
<h1>${title}</h1>
<p class="lead">The console may have been built again since it was opened. <a href="${consolePath}">Open it again.</a></p>`;
  return { status: 404, html: layout({ lang: 'en' }, title, main), formActions: [] };
}
