import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Service } from '../src/service/index.ts';

/**
 * Counts the files of src/ that a reader passes through who follows one call from the socket to its last effect: those in which a
 * function ran between the call and its effects, by V8's precise coverage, in a warm service with a data folder. What a module runs
 * while it is loaded does not count. The clients here use nothing of src/.
 *
 *     npm run count-files              one line for each call
 *     npm run count-files -- --files   the files, too
 */
const source = pathToFileURL(join(import.meta.dirname, '..', 'src/')).href;
// Imported by a computed name, so that this file can be copied into an older state of the repository to compare both.
const { startService } = (await import(`${source}service/service.ts`)) as typeof import('../src/service/service.ts');

/** Bits of Identify's `intents`. */
const intents = { none: 0, LOBBIES: 1 << 27 };
const botToken = 'starfall-token';
const folder = mkdtempSync(join(tmpdir(), 'rallypoint-count-files-'));
const service = await startService({
  data: folder,
  limits: 'standard',
  fixtures: {
    applications: [
      {
        ...{ id: '1', name: 'Starfall', owner_id: '9', bot_token: botToken, embedded: true, public_client: true },
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    users: [
      { id: '9', username: 'ada' },
      { id: '8', username: 'ben' },
    ],
    guilds: [
      {
        ...{ id: '5', name: 'Guild', owner_id: '9', applications: ['1'] },
        channels: [{ id: '7', type: 0, name: 'general' }],
        members: [{ user_id: '9' }],
      },
    ],
  },
});

const bot = { authorization: `Bot ${botToken}` };
const session = await control('/users/9/session', {});
const player = { authorization: String(session.token) };

const calls: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  async 'PUT a lobby member, until the player has the event'() {
    const lobby = await api('POST', '/lobbies', bot, { members: [{ id: '9' }] });
    const { access_token } = await signIn();
    const socket = await connect(service, `Bearer ${access_token}`, intents.LOBBIES);
    let count = 0;
    return async () => {
      count += 1;
      const event = socket.next('LOBBY_MEMBER_ADD', 'LOBBY_MEMBER_UPDATE');
      await api('PUT', `/lobbies/${lobby.id}/members/8`, bot, { metadata: { ready: `${count}` } });
      await event;
    };
  },
  async 'a slash command, until the player has the answer'() {
    const command = await api('POST', '/applications/1/commands', bot, { name: 'roll', description: 'Rolls', type: 1 });
    const [game, own] = [await connect(service, botToken, intents.none), await connect(service, String(session.token))];
    return async () => {
      const received = game.next('INTERACTION_CREATE');
      const answered = own.next('MESSAGE_CREATE');
      await api('POST', '/interactions', player, {
        ...{ type: 2, application_id: '1', guild_id: '5', channel_id: '7' },
        data: { id: command.id, version: command.version, name: 'roll', type: 1 },
      });
      const { id, token } = await received;
      await api('POST', `/interactions/${id}/${token}/callback`, {}, { type: 4, data: { content: 'Six!' } });
      await answered;
    };
  },
  async 'a refresh at the token endpoint'() {
    let tokens = await signIn();
    return async () => {
      const grant = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token), client_id: '1' };
      tokens = await exchange(grant);
    };
  },
};

try {
  const profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const [name, prepare] of Object.entries(calls)) {
    const call = await prepare();
    for (let warm = 0; warm < 5; warm += 1) await call();
    const [once, again] = [await filesOf(profiler, call), await filesOf(profiler, call)];
    const files = once.filter(file => again.includes(file)).sort();
    console.log(`${String(files.length).padStart(3)}  ${name}`);
    if (process.argv.includes('--files')) for (const file of files) console.log(`       ${file}`);
  }
} finally {
  await service.close();
  rmSync(folder, { recursive: true });
}

/** The files in which a function runs because of the call, or by chance at the same time. */
async function filesOf(profiler: Session, call: () => Promise<void>): Promise<string[]> {
  await profiler.post('Profiler.takePreciseCoverage');
  await call();
  await settled();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ url }) => url.startsWith(source))
    // What begins at 0 is the module itself.
    .filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0),
    );
  return ran.map(({ url }) => url.slice(source.length));
}

/** Long enough for what follows an answer: none of it waits for a timer longer than this. */
function settled(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 100));
}

type Fields = Readonly<Record<string, string>>;

async function api(method: string, path: string, headers: Fields, body: unknown): Promise<Fields> {
  return send(`${service.apiBase}/v10${path}`, method, { ...headers, 'content-type': 'application/json' }, body);
}

async function control(path: string, body: unknown): Promise<Fields> {
  const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
  return send(`${service.controlBase}${path}`, 'POST', headers, body);
}

async function send(address: string, method: string, headers: Fields, body: unknown): Promise<Fields> {
  const answer = await fetch(address, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

async function signIn(): Promise<Fields> {
  const verifier = 'v'.repeat(43);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const redirectUri = 'http://127.0.0.1/callback';
  const query = new URLSearchParams({
    ...{
      client_id: '1',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid sdk.social_layer',
      state: 'one',
    },
    ...{ code_challenge: Buffer.from(digest).toString('base64url'), code_challenge_method: 'S256' },
  });
  const { redirect_to } = await control('/consent', {
    ...{ authorize_url: `${service.webBase}/oauth2/authorize?${query}`, user_id: '9', decision: 'approve' },
  });
  const code = new URL(String(redirect_to)).searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id: '1', redirect_uri: redirectUri };
  return exchange({ ...grant, code, code_verifier: verifier });
}

async function exchange(grant: Fields): Promise<Fields> {
  const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
  });
  if (!answer.ok) throw new Error(`The token endpoint answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Fields;
}

/** A gateway session; `next` resolves with the data of the next event of one of the names. */
async function connect({ gateway }: Service, token: string, wanted?: number) {
  const socket = new WebSocket(`${gateway}?v=10&encoding=json`);
  const waiting = new Set<{ names: readonly string[]; resolve(data: Fields): void }>();
  socket.addEventListener('message', ({ data }) => {
    const { op, t, d } = JSON.parse(data);
    if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token, properties: {}, intents: wanted } }));
    for (const waiter of [...waiting].filter(({ names }) => names.includes(t))) {
      waiting.delete(waiter);
      waiter.resolve(d);
    }
  });
  const next = (...names: string[]) =>
    new Promise<Fields>(resolve => {
      waiting.add({ names, resolve });
    });
  await next('READY');
  return { next };
}
