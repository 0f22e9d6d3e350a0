/**
 * Runs a service whose late imports fail once each, as they do while file descriptors are exhausted, and prints what its callers
 * were answered: while the import named by the argument failed, and afterwards.
 */
import { registerHooks } from 'node:module';
import { WebSocket } from 'ws';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const failing = process.argv[2] ?? '';
let isArmed = false;
let failures = 0;
registerHooks({
  resolve(specifier, context, next) {
    // This file imports some of them itself.
    const isServices = context.parentURL?.includes('/src/service/');
    if (isArmed && isServices && specifier === failing) {
      failures++;
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    }
    return next(specifier, context);
  },
});

const { startService } = await import('../../src/service/index.ts');
const logged: string[] = [];
const log = { debug() {}, info() {}, warn() {}, error: (_: unknown, message: string) => logged.push(message) };
const hooked = starfall.applications.map(one => ({ ...one, event_webhooks_url: 'http://127.0.0.1:9/events' }));
const options = { log, limits: 'off', publicUrl: 'https://play.example', trustedProxies: ['127.0.0.1'] } as const;
const service = await startService({ ...options, fixtures: { ...starfall, applications: hooked } });
const origin = service.controlBase.replace('/control', '');
// What is asked by its public address is asked where it listens.
const local = {
  ...service,
  webBase: origin,
  apiBase: `${origin}/api`,
  gateway: `${origin.replace('http', 'ws')}/gateway`,
};

const isOpened = (path: string) =>
  new Promise<boolean>(resolve => {
    const socket = new WebSocket(local.gateway + path);
    socket.on('message', () => {
      socket.terminate();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
const isFine = async (work: () => Promise<unknown>) =>
  work().then(
    () => true,
    () => false,
  );
const failed = new Set<number>();
const answers = async (url: string) => {
  const { ok, status } = await fetch(url);
  if (ok) return;
  failed.add(status);
  throw new Error(url);
};
const delivered = async () => {
  const log = await fetch(`${service.controlBase}/log`, {
    headers: { authorization: `Bearer ${service.controlToken}` },
  });
  return ((await log.json()) as { entries: { type: string }[] }).entries.length;
};

/** Everything that loads something late. */
async function useAll(user: string): Promise<Record<string, boolean>> {
  return {
    socket: await isOpened('/?v=10&encoding=json'),
    etf: await isOpened('/?v=10&encoding=etf'),
    page: await isFine(() => answers(`${origin}/activate`)),
    openapi: await isFine(() => answers(`${local.apiBase}/v10/openapi.json`)),
    keys: await isFine(() => answers(`${local.apiBase}/v10/oauth2/keys`)),
    // Makes a webhook event, whose delivery nobody waits for, and an ID token.
    player: await isFine(async () => {
      const token = await playerToken(local, user, 'openid identify');
      if (!token) throw new Error('There is no token.');
    }),
    log: await isFine(delivered),
    metrics: await isFine(() => answers(`${origin}/metrics`)),
    api: (await callApi(local, 'GET', '/users/@me')).status === 200,
  };
}

isArmed = true;
const during = await useAll(starfall.users[0].id);
// The delivery of a webhook event is tried beside.
while (failing === 'undici' && failures === 0) await callApi(local, 'GET', '/users/@me');
isArmed = false;
const after = await useAll(starfall.users[1].id);
await service.close();
process.stdout.write(`${JSON.stringify({ failures, during, after, failed: [...failed], logged: logged.length })}\n`);
