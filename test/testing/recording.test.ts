import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, asyncProperty, constantFrom, oneof, record as recordOf, string, uint8Array } from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/sdk/index.ts';
import {
  clientState,
  createWorld,
  Recording,
  type RecordingEntry,
  readRecording,
  record,
  recordService,
  replayAgainstService,
  serveRecording,
  type World,
} from '../../src/testing/index.ts';
import type { Fetch, SocketEvents } from '../../src/wire/clock/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'rallypoint-recording-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function newWorld(): Promise<World> {
  const world = await createWorld();
  onTestFinished(() => world.close());
  return world;
}

async function playedBack(recording: Recording, by: string) {
  const server = serveRecording(recording, { by });
  const client = new Client(server.ports);
  onTestFinished(() => client.close());
  await server.play(client);
  return { server, client };
}

describe('a recording of a service', () => {
  /** A session of two games, a game's server and a chat client, of which the test wires only the service. */
  async function recorded() {
    const recorder = recordService();
    const world = await createWorld({ traffic: recorder.traffic });
    onTestFinished(() => world.close());
    const { backend } = world;
    await backend.commands.create({ name: 'rally', description: 'Calls your party together' });
    await backend.interactions.listen(({ reply }) => reply({ content: 'To the harbour' }));
    const ada = await world.player('ada');
    const lobby = await ada.lobbies.join('the harbour');
    await lobby.send('Ahoy');
    await world.user('grace').use('/rally');
    await world.advance('1 min');
    await backend.lobbies.edit(lobby.id, { metadata: { map: 'storm' } });
    await world.settled();
    return { recorder, state: clientState(ada) };
  }

  it('contains everybody, and leads a client to the state that the game had', async () => {
    const { recorder, state } = await recorded();
    const path = join(folder, 'service.jsonl');
    await recorder.save(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const recording = readRecording(readFileSync(path, 'utf8'));
    const everybody = ['ada', 'ada (chat client)', 'anonymous', 'bot 1', 'grace (chat client)'];
    expect(recording.names.toSorted()).toEqual(everybody);
    const { server, client } = await playedBack(recording, 'ada');
    expect(clientState(client)).toEqual(state);
    expect(state.lobbies).toMatchObject([{ metadata: { map: 'storm' } }]);
    expect(server.unmatched).toEqual([]);
  });

  it('is replayed against another service without a difference', async () => {
    const { recorder } = await recorded();
    const other = await newWorld();
    const { accessToken } = await other.client('ada').signIn();
    const credentials = { ada: `Bearer ${accessToken}`, 'bot 1': `Bot ${other.botToken}` };
    const report = await replayAgainstService(recorder.recording(), other.baseUrl, { credentials });
    expect(report.differences).toEqual([]);
    expect(report.sent).toBeGreaterThan(4);
    const reasons = Object.fromEntries(report.skipped.map(({ route, reason }) => [route, reason]));
    expect(reasons).toMatchObject({
      createToken: 'signing in is not replayed',
      invokeCommand: 'credentials has nothing for grace (chat client)',
      createInteractionResponse: 'it needs a secret that no replayed answer contained',
    });
  });

  it('contains no secret that was sent or answered', async () => {
    const seen: string[] = [];
    const recorder = recordService();
    const { traffic } = recorder;
    const keep = (text: string | undefined) => seen.push(...(text?.match(/[\w.~+/-]{20,}/g) ?? []));
    const world = await createWorld({
      traffic: {
        request: request => {
          keep(request.authorization);
          if (request.route === 'createToken') keep(request.answer);
          keep(request.params.interaction_token);
          traffic.request?.(request);
        },
        connection: event => {
          if ('frame' in event && event.frame.op !== 0) keep(JSON.stringify(event.frame.d));
          traffic.connection?.(event);
        },
      },
    });
    onTestFinished(() => world.close());
    const { backend } = world;
    await backend.commands.create({ name: 'rally', description: 'Calls your party together' });
    await backend.interactions.listen(({ reply }) => reply({ content: 'To the harbour' }));
    await (await world.player('ada')).lobbies.join('the secret of the harbour');
    await world.user('grace').use('/rally');
    const text = recorder.recording().toString();
    const secrets = new Set(seen.filter(one => !/^(openid|identify|sdk|rallypoint)/.test(one)));
    expect(secrets.size).toBeGreaterThan(5);
    for (const secret of [...secrets, 'the secret of the harbour']) expect(text).not.toContain(secret);
  });

  it('stops at its bound', async () => {
    const recorder = recordService({ bytesMax: 500 });
    const world = await createWorld({ traffic: recorder.traffic });
    await world.close();
    expect(recorder.recording().header.truncated).toBe(true);
    expect(recorder.recording().toString().length).toBeLessThan(1_000);
  });
});

describe('a recording served to a client', () => {
  it('leads it to the state that the recorded client had', async () => {
    const world = await newWorld();
    const recorder = record(world);
    const ada = await world.player('ada');
    const grace = await world.player('grace');
    const lobby = await ada.lobbies.join('the harbour', { lobbyMetadata: { map: 'sea' } });
    await grace.lobbies.join('the harbour', { memberMetadata: { ship: 'sloop' } });
    await lobby.send('Ahoy');
    await world.advance('1 min');
    await world.backend.lobbies.edit(lobby.id, { metadata: { map: 'storm' } });
    await world.settled();
    const path = join(folder, 'session.jsonl');
    await recorder.save(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);

    const recording = readRecording(readFileSync(path, 'utf8'));
    const { server, client } = await playedBack(recording, 'ada');
    expect(clientState(client)).toEqual(recording.state('ada'));
    expect(recording.state('ada')).toMatchObject({
      status: 'ready',
      lobbies: [{ metadata: { map: 'storm' }, members: [{}, { metadata: { ship: 'sloop' } }] }],
      messages: { [lobby.id]: [{ content: 'Ahoy' }] },
    });
    expect(server.unmatched).toEqual([]);
  });

  it('repeats a connection that broke, and what came after it', async () => {
    const world = await newWorld();
    const recorder = record(world);
    const ada = await world.player('ada');
    const { id } = await ada.lobbies.join('the harbour');
    world.faults.drop('ada');
    await world.advance('1 s');
    await world.backend.lobbies.edit(id, { metadata: { map: 'storm' } });
    await world.advance('30 s');
    expect(ada.status.status).toBe('ready');
    const recording = recorder.recording();

    const { client } = await playedBack(recording, 'ada');
    expect(clientState(client)).toEqual(recording.state('ada'));
    expect(recording.state('ada')?.lobbies).toMatchObject([{ metadata: { map: 'storm' } }]);
  });

  it('ends as the game ended it', async () => {
    const world = await newWorld();
    const recorder = record(world);
    const ada = await world.player('ada');
    await world.advance('5 s');
    await ada.disconnect();
    const { client } = await playedBack(recorder.recording(), 'ada');
    expect(client.status.status).toBe('disconnected');
  });

  it('answers an operation when its time has come, and fails one as it failed', async () => {
    const world = await newWorld();
    const recorder = record(world);
    const ada = await world.player('ada');
    await world.advance('1 min');
    world.faults.fail('getCurrentUser', 403);
    await expect(ada.fetchCurrentUser()).rejects.toMatchObject({ status: 403 });
    await world.advance('10 s');

    const server = serveRecording(recorder.recording(), { by: 'ada' });
    const client = new Client(server.ports);
    onTestFinished(() => client.close());
    client.updateToken('any');
    const failed = expect(client.fetchCurrentUser({})).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await server.play(client);
    await failed;
    const again = serveRecording(recorder.recording(), { by: 'ada' });
    const patient = new Client(again.ports);
    onTestFinished(() => patient.close());
    patient.updateToken('any');
    await again.advance(59_000);
    const rejected = expect(patient.fetchCurrentUser()).rejects.toMatchObject({ status: 403 });
    await again.play(patient);
    await rejected;
  });

  it('names what the recording does not have', async () => {
    const world = await newWorld();
    const recorder = record(world);
    await world.player('ada');
    const { server, client } = await playedBack(recorder.recording(), 'ada');
    await expect(client.lobbies.join('another')).rejects.toMatchObject({ status: 404 });
    expect(server.unmatched).toContain('joinLobby');
    expect(() => serveRecording(recorder.recording(), { by: 'alan' })).toThrow(/Known are: ada/);
  });
});

describe('a recording replayed against a service', () => {
  async function recorded(): Promise<Recording> {
    const world = await newWorld();
    const recorder = record(world);
    const { id } = await world.backend.lobbies.create({ metadata: { map: 'harbour' } });
    await world.advance('1 min');
    await world.backend.lobbies.edit(id, { metadata: { map: 'storm' } });
    const ada = await world.player('ada');
    const own = await ada.lobbies.join('a secret');
    await own.send('Ahoy');
    await world.backend.lobbies.delete(id);
    await expect(world.backend.lobbies.get(id)).rejects.toThrow();
    return recorder.recording();
  }

  async function credentialsOf(world: World) {
    const { accessToken } = await world.client('ada').signIn();
    return { ada: `Bearer ${accessToken}`, bot: `Bot ${world.botToken}` };
  }

  it('finds no difference in a service that behaves the same, although ids and tokens are others', async () => {
    const recording = await recorded();
    const world = await newWorld();
    await world.advance('1 h');
    const credentials = await credentialsOf(world);
    const startMs = world.clock.now();
    const report = await replayAgainstService(readRecording(String(recording)), world.baseUrl, {
      credentials,
      advance: ms => world.advance(ms),
    });
    expect(report.differences).toEqual([]);
    expect(report.skipped).toMatchObject([{ route: 'createToken', reason: 'signing in is not replayed' }]);
    expect(report.sent).toBe(recording.entries.filter(({ kind }) => kind === 'request').length - 1);
    expect(world.clock.now() - startMs).toBe(60_000);
  });

  it('reports what is different by its path', async () => {
    const recording = await recorded();
    const entries = recording.entries.map((entry): RecordingEntry => {
      const body = entry.kind === 'answer' ? (entry.body as { metadata?: { map?: string } } | undefined) : undefined;
      return body?.metadata?.map === 'storm'
        ? ({ ...entry, body: { ...body, metadata: { map: 'calm' } } } as never)
        : entry;
    });
    const world = await newWorld();
    const credentials = await credentialsOf(world);
    world.faults.fail('deleteLobby', 403);
    const report = await replayAgainstService(new Recording(recording.header, entries), world.baseUrl, { credentials });
    expect(report.differences).toMatchObject([
      { route: 'editLobby', path: 'body.metadata.map', recorded: 'calm', replayed: 'storm' },
      { route: 'deleteLobby', path: 'status', recorded: 204, replayed: 403 },
      { route: 'deleteLobby', path: 'body' },
      { route: 'getLobby', path: 'status', recorded: 404, replayed: 200 },
      ...report.differences.slice(4),
    ]);
  });

  it('sends nothing for somebody whose credential it does not have', async () => {
    const recording = await recorded();
    const world = await newWorld();
    const { sent, skipped } = await replayAgainstService(recording, world.baseUrl);
    expect(sent).toBe(1);
    expect(skipped).toContainEqual(
      expect.objectContaining({ route: 'joinLobby', reason: 'credentials has nothing for ada' }),
    );
  });
});

describe('the file of a recording', () => {
  it('contains no token, code, verifier or secret of a session', async () => {
    const secrets: string[] = [];
    const world = await newWorld();
    const recorder = record(world);
    const client = world.client('ada');
    const tokens = await client.signIn();
    secrets.push(tokens.accessToken, tokens.refreshToken ?? '', tokens.idToken ?? '', world.botToken);
    await client.connect();
    const lobby = await client.lobbies.join('the-secret-of-the-lobby');
    await lobby.send(`My token is ${tokens.accessToken}, do not tell`);
    await world.backend.commands.create({ name: 'rally', description: 'Calls' });
    await world.backend.interactions.listen(async interaction => {
      secrets.push(interaction.payload.token);
      await interaction.reply({ content: 'Here' });
    });
    await world.user('ada').use('/rally');
    await world.settled();

    const text = String(recorder.recording());
    expect(secrets).toHaveLength(5);
    for (const secret of ['the-secret-of-the-lobby', ...secrets.filter(one => one !== '')]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('My token is masked-');
    expect(text).not.toMatch(/Bearer (?!masked-)|Bot (?!masked-)|cookie/i);
    const codes = [...text.matchAll(/"(?:code|code_verifier|session_id|refresh_token)":"([^"]*)"/g)];
    expect(codes.length).toBeGreaterThan(3);
    for (const [, value] of codes) expect(value).toMatch(/^masked-\d+$/);
  });

  const names = [
    ...['token', 'access_token', 'refresh_token', 'id_token', 'code', 'code_verifier', 'client_secret', 'device_code'],
    ...[
      'user_code',
      'external_auth_token',
      'secret',
      'session_id',
      'password',
      'ticket',
      'interactionToken',
      'sessionId',
    ],
  ];
  const secret = oneof(
    string({ minLength: 16, maxLength: 60, unit: 'grapheme-ascii' }),
    uint8Array({ minLength: 16, maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('base64url')),
    uint8Array({ minLength: 16, maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('base64')),
  ).filter(text => new Set(text).size > 6);

  it('contains a secret in no place and no form, wherever it was seen before or after', async () => {
    const place = constantFrom('body', 'form', 'query', 'header', 'answer', 'received', 'sent', 'path');
    const secretSomewhere = recordOf({ name: constantFrom(...names), secret, place });
    await assert(
      asyncProperty(secretSomewhere, async one => {
        const text = await recordedText(one);
        const forms = [one.secret, encodeURIComponent(one.secret), JSON.stringify(one.secret).slice(1, -1)];
        for (const form of forms) expect(text).not.toContain(form);
        expect(text).toMatch(/masked-\d+/);
      }),
      { numRuns: 200 },
    );
  });

  it('is bounded: it says that it was truncated, and contains no state then', async () => {
    const world = await newWorld();
    const recorder = record({ bytesMax: 2_000 });
    const { baseUrl, applicationId, clock } = world;
    const client = new Client({ baseUrl, applicationId, clock, ...recorder.ports('ada') });
    onTestFinished(() => client.close());
    recorder.follow('ada', client);
    client.updateToken((await world.client('ada').signIn()).accessToken);
    for (let at = 0; at < 20; at++) await client.fetchCurrentUser();
    const recording = recorder.recording();
    expect(Buffer.byteLength(String(recording))).toBeLessThan(2_200);
    expect(recording.header.truncated).toBe(true);
    expect(recording.state('ada')).toBeUndefined();
    expect(recording.names).toEqual(['ada']);
  });

  it('records what failed, and what is no route, without its address', async () => {
    const recorder = record({
      fetch: () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNRESET' })),
    });
    const { fetch } = recorder.ports('ada');
    await expect(fetch('http://127.0.0.1/secret-place', init())).rejects.toThrow('no');
    const { entries } = recorder.recording();
    expect(entries).toMatchObject([
      { kind: 'request', route: null, params: {} },
      { kind: 'failure', code: 'ECONNRESET' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret-place');
  });

  it.each([
    ['', 'the first line does not begin a recording'],
    ['{"kind":"request","atMs":0}', 'the first line does not begin a recording'],
    ['{"kind":"recording","version":2,"atMs":0}', 'it has version 2, and this package reads version 1'],
    ['{"kind":"recording","version":1,"atMs":0}\nnothing', 'line 2 is not an object in JSON with a kind'],
    ['{"kind":"recording","version":1}', 'line 1 has no time (atMs)'],
  ])('is rejected when it is none: %s', (text, message) => {
    expect(() => readRecording(text)).toThrow(expect.objectContaining({ code: 'invalid_recording' }));
    expect(() => readRecording(text)).toThrow(message);
  });
});

function init(more: Partial<Parameters<Fetch>[1]> = {}): Parameters<Fetch>[1] {
  return { method: 'POST', headers: {}, signal: new AbortController().signal, ...more };
}

/** A recording of a secret in one place, which other places repeat without saying what it is. */
async function recordedText({ name, secret, place }: { name: string; secret: string; place: string }): Promise<string> {
  let events: SocketEvents | undefined;
  const recorder = record({
    fetch: async () => Response.json(place === 'answer' ? { [name]: secret } : { note: `the same: ${secret}` }),
    socket: (_, given) => {
      events = given;
      return { send() {}, close() {} };
    },
  });
  const { fetch, socket } = recorder.ports('ada');
  const json = { 'content-type': 'application/json' };
  const elsewhere = { note: `${secret} and ${encodeURIComponent(secret)}`, [secret]: 1 };
  const opened = socket('ws://127.0.0.1/', { opened() {}, received() {}, closed() {} });
  events?.received(
    JSON.stringify({ op: 0, t: 'READY', d: place === 'received' ? { list: [{ [name]: secret }] } : elsewhere }),
  );
  opened.send(JSON.stringify({ op: 2, d: place === 'sent' ? { [name]: `Bearer ${secret}` } : elsewhere }));
  const path = place === 'path' ? `/webhooks/1/${encodeURIComponent(secret)}` : '/lobbies';
  const query = place === 'query' ? `?${new URLSearchParams({ [name]: secret })}` : `?q=${encodeURIComponent(secret)}`;
  const headers = place === 'header' ? { ...json, Authorization: `Bot ${secret}`, Cookie: `a=${secret}` } : json;
  const body = JSON.stringify(place === 'body' ? { in: { [name]: [secret] } } : elsewhere);
  const url = `http://127.0.0.1/api/v10${path}${query}`;
  await (await fetch(url, init({ headers, body }))).text();
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-signature-ed25519': secret };
  const fields = new URLSearchParams(place === 'form' ? { [name]: secret } : { note: secret });
  await (await fetch('http://127.0.0.1/api/v10/oauth2/token', init({ headers: form, body: String(fields) }))).text();
  events?.closed(4000, `closed ${secret}`);
  return String(recorder.recording());
}
