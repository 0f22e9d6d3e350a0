import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ElectronParts } from './electron-parts.ts';

/** Our pages come by a scheme of their own: unlike `file:`, it has an origin, and shows nothing but these files. */
export const appScheme = 'starfall-app';
export const appOrigin = `${appScheme}://lobby`;
export const appPage = `${appOrigin}/index.html`;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

// The pages talk to nobody: what they know comes over the bridge.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** To be called before the app is ready. */
export function claimAppScheme({ protocol }: Pick<ElectronParts, 'protocol'>): void {
  protocol.registerSchemesAsPrivileged([{ scheme: appScheme, privileges: { standard: true, secure: true } }]);
}

/** Serves the files of one folder, without its subfolders. */
export function serveAppFiles({ protocol }: Pick<ElectronParts, 'protocol'>, folder: string): void {
  protocol.handle(appScheme, async ({ method, url }) => {
    const { host, pathname } = new URL(url);
    const name = /^\/([a-z0-9-]+\.[a-z]+)$/.exec(pathname)?.[1];
    const type = types[extname(name ?? '')];
    if (method !== 'GET' || `${appScheme}://${host}` !== appOrigin || !name || !type) return missing();
    const file = await readFile(join(folder, name)).catch(() => undefined);
    return file ? new Response(file, { headers: { ...headers, 'content-type': type } }) : missing();
  });
}

function missing(): Response {
  return new Response('There is nothing at this address.', { status: 404, headers });
}
