import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { snowflakeTimeMsMax } from '../../../src/model/snowflake.ts';
import { createCredentials } from '../../../src/service/auth/credentials.ts';
import { registerControl } from '../../../src/service/control/routes.ts';
import { snapshotVersion } from '../../../src/service/control/snapshot.ts';
import { createLobbies } from '../../../src/service/features/lobbies/lobbies.ts';
import { createAuthorization } from '../../../src/service/features/oauth/authorize/authorization.ts';
import { createDirectMessages } from '../../../src/service/features/social/messages/messages.ts';
import { presentActivities } from '../../../src/service/features/social/messages/present.ts';
import { createHeadlessSessions } from '../../../src/service/features/social/presence/headless.ts';
import { createRelationshipMoves } from '../../../src/service/features/social/relationships/moves.ts';
import { createWebhookEvents } from '../../../src/service/features/webhooks/events.ts';
import { createGateway } from '../../../src/service/gateway/gateway.ts';
import { PendingWork } from '../../../src/service/support/pending-work.ts';
import { FaultInjector } from '../../../src/service/testing/faults/faults.ts';
import { createFixtures } from '../../../src/service/testing/fixtures/fixtures.ts';
import { lobbyRecord } from '../../support/store/records.ts';
import { countRoundTrips } from '../../support/store/round-trips.ts';
import { idleParts, makeCore, startMs } from './support.ts';

const controlToken = 'control-secret';

/** A control API over real parts on loopback, and `call('POST /clock', body)` to use it. */
async function open({ virtual = true } = {}) {
  const core = await makeCore();
  const fixtures = createFixtures(core, idleParts);
  const replaced: number[] = [];
  const app = fastify();
  const pendingWork = new PendingWork();
  const webhookEvents = createWebhookEvents(core, pendingWork);
  const authorization = createAuthorization(core, { webhookEvents, moved: [createLobbies(core)], pendingWork });
  registerControl(app, {
    core,
    controlToken,
    ...(virtual ? { advance: (ms: number) => core.clock.advance(ms) } : {}),
    fixtures,
    faults: new FaultInjector(core),
    decide: authorization.decide,
    decideDevice: authorization.device.decide,
    endUserTokens: authorization.endUserTokens,
    endAuthorization: authorization.endAuthorization,
    gateway: createGateway(core, {
      ...{ credentials: createCredentials(core), lobbies: createLobbies(core), pendingWork },
    }),
    removalParts: {
      ...{ lobbies: createLobbies(core), relationships: createRelationshipMoves(core), authorizations: authorization },
      messages: createDirectMessages(core, { webhookEvents, present: presentActivities }),
      headless: createHeadlessSessions(core),
    },
    acting: undefined,
    askSelf: () => Promise.reject(new Error('There is no API here.')),
    controlBase: () => '',
    startedAtMs: startMs,
    readiness: async () => [],
    ...{ signIn: 'developer', hasVoice: false, isPublic: false, onStop: () => {} },
    stateReplaced: async () => void replaced.push(core.clock.now()),
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
    await core.store.close();
  });

  async function send(name: string, body?: string, authorization: string | null = `Bearer ${controlToken}`) {
    const [method = '', path] = name.split(' ');
    const response = await fetch(`${address}/control${path}`, {
      method,
      headers: {
        ...(authorization !== null && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }
  const call = (name: string, body?: unknown) => send(name, body === undefined ? undefined : JSON.stringify(body));
  return { core, fixtures, replaced, send, call };
}

describe('a call that reads many collections', () => {
  it.each([
    ['GET /fixtures', 2],
    ['GET /timers', 1],
    ['GET /users/9', 4],
    ['GET /users/9/social', 4],
  ])('waits for a database that is far away as seldom as it can: %s', async (name, most) => {
    const { core, call } = await open();
    const guilds = ['5', '6', '7'].map(id => ({ id, owner_id: '9', members: [{ user_id: '9' }] }));
    const document = { users: [{ id: '9' }], applications: [{ id: '1', owner_id: '9' }], guilds };
    expect(await call('POST /fixtures', document)).toMatchObject({ status: 200 });
    const roundTrips = countRoundTrips(core.store);
    expect(await call(name)).toMatchObject({ status: 200 });
    expect(roundTrips()).toBe(most);
  });
});

describe('every control call', () => {
  it.each([
    null,
    '',
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    'Bot control-secret',
    'Bearer control-secret2',
    controlToken,
  ])('refuses the authorization %j with 401 and a message', async authorization => {
    const { send } = await open();
    for (const name of ['GET /clock', 'POST /reset', 'GET /snapshot', 'GET /nothing']) {
      const { status, body } = await send(name, undefined, authorization);
      expect(status).toBe(401);
      expect(body).toEqual({ message: expect.stringContaining('control token') });
    }
  });

  it('answers what is not JSON, and a call that does not exist, with a message', async () => {
    const { send } = await open();
    expect(await send('POST /clock', '{')).toMatchObject({ status: 400, body: { message: 'The body must be JSON.' } });
    const unknown = await send('PATCH /clock', '{}');
    expect(unknown.status).toBe(404);
    expect(unknown.body.message).toContain('POST /control/clock');
  });

  it('answers a body that is too large with 413 and a message', async () => {
    const { send } = await open();
    const { status, body } = await send('POST /clock', JSON.stringify({ padding: 'x'.repeat(65 * 1024) }));
    expect({ status, body }).toEqual({ status: 413, body: { message: expect.any(String) } });
  });
});

describe('POST /control/fixtures', () => {
  it('answers the document filled in, and its tokens work', async () => {
    const { core, call } = await open();
    const { status, body } = await call('POST /fixtures', { applications: [{ name: 'Starfall' }], users: [{}] });
    expect(status).toBe(200);
    const [application] = body.applications;
    const principal = await createCredentials(core).authenticateGateway(`Bot ${application.bot_token}`);
    expect(principal).toMatchObject({ kind: 'bot', application: { id: application.id, name: 'Starfall' } });
  });

  it('answers 400 and names every fault of a wrong document', async () => {
    const { call } = await open();
    const { status, body } = await call('POST /fixtures', { users: [{ nme: 'x' }], guilds: 5 });
    expect(status).toBe(400);
    expect(body.message).toContain('users.0.nme: is not a known key; known are id, username');
    expect(body.message).toContain('guilds: must be a list');
    expect((await call('POST /fixtures')).status).toBe(400);
  });
});

describe('GET /control/users', () => {
  it('lists users page by page, and finds one by username', async () => {
    const { call } = await open();
    const users = ['9', '10', '11'].map(id => ({ id, username: `user-${id}` }));
    await call('POST /fixtures', { users });
    const first = await call('GET /users?limit=2');
    expect(first.body.users.map(({ id }: { id: string }) => id)).toEqual(['10', '11']);
    expect(first.body.next).toBe('11');
    const second = await call(`GET /users?limit=2&after=${first.body.next}`);
    const last = { id: '9', username: 'user-9', global_name: null, banned: false, provisional_of: null };
    expect(second.body).toEqual({ users: [last], next: null });
    expect((await call('GET /users?limit=3')).body).toMatchObject({ next: null });
    expect((await call('GET /users?username=user-9')).body).toEqual({ users: [last], next: null });
    expect((await call('GET /users?username=nobody')).body).toEqual({ users: [], next: null });
  });

  it('accepts a limit from 1 to 1000 and rejects others, and an after that is no id, with 400', async () => {
    const { call } = await open();
    for (const query of ['limit=1', 'limit=1000']) expect((await call(`GET /users?${query}`)).status).toBe(200);
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'limit=1&limit=2', 'after=x']) {
      for (const list of ['users', 'lobbies']) {
        const { status, body } = await call(`GET /${list}?${query}`);
        expect({ status, body }).toEqual({
          status: 400,
          body: { message: expect.stringMatching(/"(limit|after)" must be/) },
        });
      }
    }
  });
});

describe('GET /control/lobbies', () => {
  it('lists lobbies page by page', async () => {
    const { core, call } = await open();
    expect((await call('GET /lobbies')).body).toEqual({ lobbies: [], next: null });
    await call('POST /fixtures', { applications: [{ id: '1' }], users: [{ id: '9' }] });
    const starfall = await core.store.get('applications', '1');
    if (!starfall) throw new Error('There is no application.');
    const lobbies = createLobbies(core);
    const made = [{ metadata: { map: 'harbour' }, members: [{ id: '9' }] }, {}].map(input =>
      lobbies.create(starfall, input),
    );
    const [first, second] = (await Promise.all(made)).map(text => JSON.parse(text).id).sort();
    const page = await call('GET /lobbies?limit=1');
    expect(page.body).toMatchObject({ lobbies: [{ id: first, application_id: '1' }], next: first });
    const rest = await call(`GET /lobbies?limit=1&after=${first}`);
    expect(rest.body).toMatchObject({ lobbies: [{ id: second }], next: null });
    expect([...page.body.lobbies, ...rest.body.lobbies]).toContainEqual(
      expect.objectContaining({ metadata: { map: 'harbour' }, member_count: 1 }),
    );
  });
});

describe('POST /control/reset', () => {
  it('answers 204, restores the start and notifies the parts that hold state', async () => {
    const { core, fixtures, call, replaced } = await open();
    await fixtures.begin({ users: [{ id: '9' }] });
    await call('POST /fixtures', { users: [{ id: '10' }] });
    await call('POST /users/9/session');
    expect(await call('POST /reset')).toMatchObject({ status: 204, body: undefined });
    expect((await core.store.list('users')).map(({ id }) => id)).toEqual(['9']);
    expect(await core.store.list('tokens')).toEqual([]);
    expect(replaced).toHaveLength(1);
  });
});

describe('/control/clock', () => {
  it('moves virtual time and answers once all that fell due has run', async () => {
    const { core, call } = await open();
    const ran: number[] = [];
    core.clock.schedule(1000, async () => void ran.push(core.clock.now()));
    core.clock.schedule(1001, () => void ran.push(core.clock.now()));
    expect((await call('GET /clock')).body).toEqual({ now_ms: startMs });
    expect(await call('POST /clock', { advance_ms: 1000 })).toMatchObject({
      status: 200,
      body: { now_ms: startMs + 1000 },
    });
    expect(ran).toEqual([startMs + 1000]);
    expect((await call('POST /clock', { advance_ms: 0 })).body).toEqual({ now_ms: startMs + 1000 });
  });

  it.each([
    {},
    { advance_ms: -1 },
    { advance_ms: 1.5 },
    { advance_ms: '1' },
    { advance_ms: null },
    [],
    null,
    { ms: 1 },
  ])('refuses %j with 400', async body => {
    const { call } = await open();
    expect(await call('POST /clock', body)).toMatchObject({ status: 400, body: { message: expect.any(String) } });
  });

  it('moves up to the last instant that an id can carry, and not past it', async () => {
    const { call } = await open();
    const most = snowflakeTimeMsMax - startMs;
    expect((await call('POST /clock', { advance_ms: most + 1 })).status).toBe(400);
    expect((await call('POST /clock', { advance_ms: most })).body).toEqual({ now_ms: snowflakeTimeMsMax });
  });

  it('answers 409 on a system clock, whose time can still be read', async () => {
    const { call } = await open({ virtual: false });
    const refused = await call('POST /clock', { advance_ms: 1 });
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('--virtual-clock');
    expect((await call('GET /clock')).status).toBe(200);
  });
});

describe('POST /control/users/{id}/session', () => {
  it('gives a token that acts as the user’s own client, kept as a hash', async () => {
    const { core, fixtures, call } = await open();
    await fixtures.begin({ users: [{ id: '9' }] });
    const { status, body } = await call('POST /users/9/session');
    expect(status).toBe(200);
    expect(await createCredentials(core).authenticateGateway(body.token)).toMatchObject({
      kind: 'session',
      user: { id: '9' },
    });
    expect(JSON.stringify(await core.store.dump())).not.toContain(body.token);
    expect((await call('POST /users/9/session')).body.token).not.toBe(body.token);
  });

  it('rejects an unknown scope', async () => {
    const { fixtures, call } = await open();
    await fixtures.begin({ applications: [{ id: '1' }], users: [{ id: '9' }] });
    const signIn = (...scopes: string[]) => call('POST /users/9/session', { application_id: '1', scopes });
    const refused = await signIn('identify', 'Identify');
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('scopes.1');
    expect((await signIn('identify')).status).toBe(200);
  });

  it('answers 404 for an unknown user and 400 for what is no id', async () => {
    const { call } = await open();
    expect((await call('POST /users/9/session')).status).toBe(404);
    expect((await call('POST /users/ada/session')).status).toBe(400);
  });
});

describe('POST /control/consent', () => {
  const authorize_url =
    'http://127.0.0.1:1/oauth2/authorize?client_id=1&response_type=code&scope=identify&state=s' +
    '&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback' +
    '&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';

  async function openWithApplication() {
    const opened = await open();
    const application = { id: '1', redirect_uris: ['http://127.0.0.1/callback'] };
    await opened.fixtures.begin({ applications: [application], users: [{ id: '9' }] });
    return opened;
  }

  it('gives the redirect that the consent page would, with a code', async () => {
    const { call } = await openWithApplication();
    const { status, body } = await call('POST /consent', { authorize_url, user_id: '9', decision: 'approve' });
    expect(status).toBe(200);
    expect(body.redirect_to).toMatch(/^http:\/\/127\.0\.0\.1:5000\/callback\?code=[^&]+&state=s/);
  });

  it('gives access_denied when the user denies', async () => {
    const { call } = await openWithApplication();
    const { body } = await call('POST /consent', { authorize_url, user_id: '9', decision: 'deny' });
    expect(new URL(body.redirect_to).searchParams.get('error')).toBe('access_denied');
  });

  it('answers 4xx and a message to what cannot be decided', async () => {
    const { call } = await openWithApplication();
    const good = { authorize_url, user_id: '9', decision: 'approve' };
    for (const bad of [
      { ...good, decision: 'maybe' },
      { ...good, user_id: 9 },
      { ...good, user_id: '404' },
      { ...good, authorize_url: 'http://127.0.0.1:1/elsewhere' },
      { ...good, authorize_url: authorize_url.replace('client_id=1', 'client_id=2') },
      { ...good, extra: 1 },
      {},
    ]) {
      const { status, body } = await call('POST /consent', bad);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(body).toEqual({ message: expect.any(String) });
    }
  });
});

describe('GET /control/log', () => {
  it('gives the entries after a number, and the number to continue from', async () => {
    const { core, call } = await open();
    core.journal.write('request', { route: 'getGateway', status: 200 });
    core.journal.write('dispatch', { name: 'READY' });
    const all = (await call('GET /log')).body;
    expect(all.entries).toMatchObject([
      { number: 1, at_ms: startMs, kind: 'request', route: 'getGateway' },
      { number: 2, kind: 'dispatch' },
    ]);
    expect((await call('GET /log?after=1')).body.entries).toMatchObject([{ number: 2 }]);
    expect((await call(`GET /log?after=${all.next}`)).body).toEqual({ entries: [], next: all.next });
    expect((await call('GET /log?after=99')).body.entries).toEqual([]);
  });

  it.each(['-1', 'x', '1.5', '', '1&after=2'])('rejects after=%s with 400', async after => {
    const { call } = await open();
    expect((await call(`GET /log?after=${after}`)).status).toBe(400);
  });
});

describe('/control/snapshot', () => {
  it('takes the whole state out and puts it into another service', async () => {
    const one = await open();
    const { body: filled } = await one.call('POST /fixtures', { applications: [{}], users: [{}], guilds: [{}] });
    await one.core.clock.advance(5000);
    const { body: snapshot } = await one.call('GET /snapshot');
    expect(snapshot).toMatchObject({ version: snapshotVersion, at_ms: startMs + 5000 });

    const other = await open();
    await other.call('POST /fixtures', { users: [{ id: '404' }] });
    expect(await other.call('PUT /snapshot', snapshot)).toMatchObject({ status: 204, body: undefined });
    expect(await other.core.store.dump()).toEqual(await one.core.store.dump());
    // Virtual time goes on from where the snapshot was taken.
    expect(other.core.clock.now()).toBe(startMs + 5000);
    expect(other.replaced).toEqual([startMs + 5000]);
    const principal = await createCredentials(other.core).authenticateGateway(
      `Bot ${filled.applications[0].bot_token}`,
    );
    expect(principal?.kind).toBe('bot');
  });

  it('is larger than what is gathered before the head, and is the same JSON', async () => {
    const { core, call } = await open();
    const lobbies = Array.from({ length: 3000 }, (_, n) =>
      lobbyRecord({ id: `1${n}`, metadata: { text: 'ä'.repeat(500) } }),
    );
    await core.store.transact('x', work => {
      for (const lobby of lobbies) work.put('lobbies', lobby);
    });
    const { status, body } = await call('GET /snapshot');
    expect(status).toBe(200);
    expect(body.content).toEqual(await core.store.dump());
  });

  it('rejects another version with a message that names both', async () => {
    const { call } = await open();
    const { body: snapshot } = await call('GET /snapshot');
    const { status, body } = await call('PUT /snapshot', { ...snapshot, version: 1 });
    expect(status).toBe(400);
    expect(body.message).toContain('version: is 1; this service reads version 4');
    expect((await call('PUT /snapshot', {})).status).toBe(400);
  });

  it('rejects what is no state, and keeps its own', async () => {
    const { core, call, replaced } = await open();
    await call('POST /fixtures', { users: [{ id: '9' }] });
    const { body: good } = await call('GET /snapshot');
    const { users: _, ...withoutUsers } = good.content;
    for (const bad of [
      { ...good, at_ms: -1 },
      { ...good, content: withoutUsers },
      { ...good, content: { ...good.content, spies: [] } },
      { ...good, content: { ...good.content, users: [{ id: 9 }] } },
      { ...good, content: { ...good.content, users: [null] } },
      { ...good, content: { ...good.content, lobbies: [{ id: '1', expires_at_ms: 'soon' }] } },
      [],
    ]) {
      expect(await call('PUT /snapshot', bad)).toMatchObject({ status: 400, body: { message: expect.any(String) } });
    }
    expect(await core.store.dump()).toEqual(good.content);
    expect(replaced).toEqual([]);
  });
});
