import { AssertionError } from 'node:assert';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBackend } from '../../src/backend/index.ts';
import { buttonStyles, componentTypes, textInputStyles } from '../../src/model/component.ts';
import { createFixtures, createWorld, type World } from '../../src/testing/index.ts';

function thrownBy(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

let world: World;
const heard = Promise.withResolvers<void>();

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace'], channels: ['general', 'harbour'] });
  const { backend } = world;
  await backend.commands.create({
    name: 'rally',
    description: 'Calls your party together',
    options: [
      { type: 3, name: 'where', description: 'Where to', autocomplete: true },
      { type: 6, name: 'whom', description: 'Whom to call' },
    ],
  });
  await backend.commands.create({ name: 'silence', description: 'Is never answered' });
  await backend.commands.create({ name: 'later', description: 'Is answered later' });
  await backend.commands.create({ name: 'Greet', type: 2 });
  await backend.commands.create({
    name: 'crew',
    description: 'The crew',
    options: [{ type: 1, name: 'add', description: 'Adds a member' }],
  });
  await backend.interactions.listen(async interaction => {
    const { payload } = interaction;
    const { data } = payload as { data: { name?: string; custom_id?: string; options?: { value?: string }[] } };
    const [option] = data.options ?? [];
    if (payload.type === 4) {
      return interaction.respond({ type: 8, data: { choices: [{ name: `${option?.value}bour`, value: 'harbour' }] } });
    }
    if (data.name === 'silence') {
      heard.resolve();
      return;
    }
    if (data.name === 'later') {
      await interaction.respond({ type: 5 });
      const { application_id, token } = payload;
      await fetch(`${world.service.apiBase}/v10/webhooks/${application_id}/${token}/messages/@original`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'At last' }),
      });
      return;
    }
    if (data.custom_id === 'ship') {
      return interaction.reply({ content: (payload.data as { values?: string[] }).values?.join(' and ') ?? '' });
    }
    if (data.custom_id === 'join') return interaction.update({ content: 'Somebody joined', components: [] });
    if (data.custom_id === 'name') {
      return interaction.showModal({
        custom_id: 'form',
        title: 'Your name',
        components: [
          {
            type: componentTypes.LABEL,
            label: 'Name',
            component: { type: componentTypes.TEXT_INPUT, custom_id: 'input', style: textInputStyles.SHORT },
          },
        ],
      });
    }
    if (data.custom_id === 'form') {
      return interaction.reply({
        content: JSON.stringify(payload.data).match(/"value":"(\w*)"/)?.[1] ?? '',
        flags: 64,
      });
    }
    const ships = {
      type: componentTypes.STRING_SELECT,
      custom_id: 'ship',
      placeholder: 'Ship',
      max_values: 2,
      options: ['sloop', 'galleon'].map(value => ({ value, label: value })),
    } as const;
    const button = (label: string, custom_id: string) =>
      ({ type: componentTypes.BUTTON, style: buttonStyles.PRIMARY, label, custom_id }) as const;
    return interaction.reply({
      content: `${data.name} ${JSON.stringify(data.options ?? [])}`,
      components: [
        { type: componentTypes.ACTION_ROW, components: [button('Join', 'join'), button('Name', 'name')] },
        { type: componentTypes.ACTION_ROW, components: [ships] },
      ],
    });
  });
});

afterAll(() => world.close());

describe('a user of a world', () => {
  it('uses a command with options and gets the reply, which the channel shows to everybody', async () => {
    const reply = await world.user('ada').use('/rally', { where: 'harbour', whom: 'grace' }, { in: 'harbour' });
    expect(reply).toMatchObject({ kind: 'message', isEphemeral: false, isDeferred: false });
    expect(reply.content).toContain('harbour');
    expect(reply.content).toContain(world.user('grace').id);
    expect(world.user('grace').lastMessage({ in: 'harbour' })?.content).toBe(reply.content);
    expect(world.user('grace').messages({ in: 'general' })).toEqual([]);
  });

  it('uses a command and its button in the direct messages with the bot, which nobody else sees', async () => {
    const ada = world.user('ada');
    expect((await ada.use('/rally', { where: 'nowhere' }, { direct: true })).content).toContain('nowhere');
    expect((await ada.press('Join', { direct: true })).content).toBe('Somebody joined');
    expect((await ada.autocomplete('/rally', { where: 'har' }, { direct: true })).length).toBe(1);
    await world.settled();
    expect(ada.messages({ direct: true })).toMatchObject([{ content: 'Somebody joined' }]);
    expect(ada.lastMessage({ direct: true })).not.toHaveProperty('guild_id');
    expect(world.user('grace').messages({ direct: true })).toEqual([]);
  });

  it('gets suggestions for what it types', async () => {
    expect(await world.user('ada').autocomplete('/rally', { where: 'har' })).toEqual([
      { name: 'harbour', value: 'harbour' },
    ]);
  });

  it('uses subcommands and context menus', async () => {
    expect((await world.user('ada').use('/crew add')).content).toContain('"name":"add"');
    expect((await world.user('ada').use('Greet', {}, { target: 'grace' })).content).toContain('Greet');
  });

  it('presses a button, which changes the message', async () => {
    await world.user('ada').use('/rally');
    const reply = await world.user('grace').press('Join');
    expect(reply).toMatchObject({ kind: 'update', content: 'Somebody joined' });
    expect(world.user('ada').lastMessage()?.content).toBe('Somebody joined');
  });

  it('fills in a form and gets a reply for itself alone', async () => {
    await world.user('ada').use('/rally');
    const shown = await world.user('ada').press('name');
    expect(shown).toMatchObject({ kind: 'modal', modal: { title: 'Your name' } });
    const reply = await world.user('ada').submit({ Name: 'Lovelace' });
    expect(reply).toMatchObject({ kind: 'message', content: 'Lovelace', isEphemeral: true });
    await world.settled();
    expect(world.user('ada').lastMessage()?.content).toBe('Lovelace');
    expect(world.user('grace').lastMessage()?.content).not.toBe('Lovelace');
  });

  it('chooses in a select', async () => {
    await world.user('ada').use('/rally');
    expect((await world.user('ada').choose('Ship', ['sloop', 'galleon'])).content).toBe('sloop and galleon');
    expect((await world.user('grace').choose('ship', 'sloop')).content).toBe('sloop');
  });

  it('sees a deferred answer once it comes', async () => {
    const reply = await world.user('ada').use('/later');
    expect(reply).toMatchObject({ kind: 'message', content: '', isDeferred: true });
    expect(await reply.completed()).toMatchObject({ kind: 'message', content: 'At last', isDeferred: false });
    expect(world.user('ada').lastMessage()?.content).toBe('At last');
  });

  it('sees that a lobby was linked to the channel, and the messages of the lobby, once each', async () => {
    const ada = await world.player('ada');
    const { id } = await world.backend.lobbies.create({ members: [{ id: world.user('ada').id, flags: 1 }] });
    await expect.poll(() => ada.lobbies.has(id)).toBe(true);
    const lobby = ada.lobbies.get(id);
    await lobby?.linkChannel(world.channelId('harbour'));
    await lobby?.send('Ahoy');
    await world.settled();
    for (const name of ['ada', 'grace']) {
      const seen = world
        .user(name)
        .messages({ in: 'harbour' })
        .filter(({ type }) => [0, 49].includes(type));
      expect(seen.map(({ type, content }) => [type, content])).toEqual([
        [49, ''],
        [0, 'Ahoy'],
      ]);
    }
    await world.backend.lobbies.delete(id);
  });

  it('gets an error when the application does not answer within three seconds of virtual time', async () => {
    const failed = expect(world.user('ada').use('/silence')).rejects.toMatchObject({ code: 'interaction_failed' });
    await heard.promise;
    await world.advance('3 s');
    await failed;
  });

  it('gets no answer from a handler that throws; what it throws is printed', async () => {
    const printed = Promise.withResolvers<unknown>();
    const spy = vi.spyOn(console, 'error').mockImplementation((...args) => printed.resolve(args));
    onTestFinished(() => spy.mockRestore());
    await using other = await createWorld({ users: ['ada'] });
    await other.backend.commands.create({ name: 'rally', description: 'Calls your party together' });
    await other.backend.interactions.listen(() => {
      throw new RangeError('no harbour');
    });
    const failed = expect(other.user('ada').use('/rally')).rejects.toMatchObject({ code: 'interaction_failed' });
    expect(JSON.stringify(await printed.promise)).toMatch(/an interaction handler failed.*RangeError.*no harbour/);
    await other.advance('3 s');
    await failed;
  });

  it('gets an error with a code for what is under way when the world is closed', async () => {
    const other = await createWorld({ users: ['ada', 'grace'] });
    for (const route of ['putRelationship', 'createDirectMessage'] as const) other.faults.slow(route, '1 min');
    const ended = Promise.allSettled([other.user('ada').block('grace'), other.user('grace').write('ada', 'Ahoy')]);
    await other.settled();
    await other.close();
    for (const outcome of await ended) expect(outcome).toMatchObject({ reason: { code: 'closed' } });
  });

  it('cannot use what there is not; the error lists what there is', async () => {
    const ada = world.user('ada');
    const code = 'not_in_world';
    await expect(ada.use('/nothing')).rejects.toMatchObject({ code, message: expect.stringContaining('/rally') });
    await expect(ada.use('/rally', { when: 'now' })).rejects.toMatchObject({
      code,
      message: expect.stringContaining('where'),
    });
    await expect(ada.press('Nothing')).rejects.toMatchObject({ code, message: expect.stringContaining('Join') });
    await expect(ada.submit()).rejects.toMatchObject({ code, message: 'There is no form on the screen.' });
    expect(() => world.user('edsger')).toThrow(/ada, grace/);
    expect(() => ada.messages({ in: 'sea' })).toThrow(/general, harbour/);
  });
});

describe('time in a world', () => {
  it('passes for service and games alike: a game stays connected', async () => {
    const ada = await world.player('ada');
    const startMs = world.clock.now();
    await world.advance('30 min');
    expect(world.clock.now() - startMs).toBe(1_800_000);
    expect(world.service.clock.now()).toBe(world.clock.now());
    expect(ada.status.status).toBe('ready');
  });

  it('stands still for any number of calls of a game and a server', async () => {
    await using other = await createWorld({ users: ['ada'] });
    const ada = await other.player('ada');
    const calls = Array.from({ length: 120 }, (_, n) => [
      ada.fetchCurrentUser(),
      other.backend.lobbies.delete(String(100 + n)),
    ]);
    await Promise.all(calls.flat());
    expect(other.traffic.calls({ by: 'ada' }).filter(({ route }) => route === 'getCurrentUser')).toHaveLength(120);
  });

  it('passes in whole milliseconds: a game that does something at a random moment is answered', async () => {
    const client = world.client('ada');
    const done = Promise.withResolvers<unknown>();
    world.clock.schedule(0.5 + Math.random() / 4, async () => done.resolve(await client.signIn()));
    await world.advance(1);
    expect(await done.promise).toMatchObject({ accessToken: expect.any(String) });
    await client.close();
  });

  it('passes for service and games in one order: an answer after a second is in time for a span of ten', async () => {
    const own = await createWorld();
    const { backend, clock } = own;
    await backend.commands.create({ name: 'slow', description: 'Is answered a second later' });
    const received = Promise.withResolvers<void>();
    await backend.interactions.listen(async ({ reply }) => {
      received.resolve();
      await new Promise<void>(resolve => clock.schedule(1_000, resolve));
      await reply({ content: 'There you are' });
    });
    const reply = own.user('ada').use('/slow');
    await received.promise;
    await own.advance('10 s');
    expect((await reply).content).toBe('There you are');
    await own.close();
  });

  it.each([
    ['250 ms', 250],
    ['1.5 min', 90_000],
    [20_001, 20_001],
    [0, 0],
  ] as const)('advances by %s', async (duration, ms) => {
    const startMs = world.clock.now();
    await world.advance(duration);
    expect(world.clock.now() - startMs).toBe(ms);
  });

  it.each(['3 weeks', 'min', '', -1, Number.NaN, 0.5])('does not advance by "%s"', async duration => {
    await expect(world.advance(duration as never)).rejects.toMatchObject({ code: 'bad_duration' });
  });
});

describe('faults and traffic of a world', () => {
  it('break a connection by the name of the player; the game is back after a pause', async () => {
    const grace = await world.player('grace');
    const statuses: string[] = [];
    grace.status$.subscribe(({ status }) => statuses.push(status));
    world.faults.drop('grace');
    await expect.poll(() => statuses).toContain('reconnecting');
    await world.advance('5 s');
    await expect.poll(() => grace.status.status).toBe('ready');
    expect(world.user('ada').messages()).toBeInstanceOf(Array);
  });

  it('fail a call as often as is said', async () => {
    const ada = await world.player('ada');
    world.faults.fail('getCurrentUser', 403, 2);
    for (const _ of [1, 2]) await expect(ada.fetchCurrentUser()).rejects.toMatchObject({ status: 403 });
    expect(await ada.fetchCurrentUser()).toMatchObject({ username: 'ada' });
  });

  it.each(['freeze', 'endSession'] as const)('%s: the game is back after a while', async fault => {
    const ada = await world.player('ada');
    world.faults[fault]('ada');
    await world.settled();
    await world.advance('3 min');
    await expect.poll(() => ada.status.status).toBe('ready');
    expect((await world.user('grace').use('/rally')).kind).toBe('message');
  });

  it('delay a call, which its deadline ends, and limit a call, which is repeated', async () => {
    const ada = await world.player('ada');
    world.faults.slow('joinLobby', '1 min');
    const joined = ada.lobbies.join('late', { deadlineMs: 5_000 });
    const late = expect(joined).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await world.settled();
    await world.advance('10 s');
    await late;
    await world.advance('1 min');
    world.faults.limit('getCurrentUser', '5 s');
    const limited = ada.fetchCurrentUser();
    await expect.poll(() => world.traffic.calls({ status: 429 }).length).toBe(1);
    await world.advance('10 s');
    expect(await limited).toMatchObject({ username: 'ada' });
  });

  it('are disarmed by clear()', async () => {
    const ada = await world.player('ada');
    world.faults.fail('getCurrentUser', 403, 'always');
    await expect(ada.fetchCurrentUser()).rejects.toMatchObject({ status: 403 });
    world.faults.clear();
    expect(await ada.fetchCurrentUser()).toMatchObject({ username: 'ada' });
  });

  it('name exactly what a game wrote', async () => {
    const ada = await world.player('ada');
    world.traffic.clear();
    const { id: lobby_id } = await ada.lobbies.join('a secret', { lobbyMetadata: { map: 'harbour' } });
    await ada.lobbies.get(lobby_id)?.send('Ahoy');
    await world.backend.lobbies.get(lobby_id);
    await world.user('grace').use('/rally');
    expect(world.traffic.writes({ by: 'ada' })).toEqual([
      { method: 'PUT', route: 'joinLobby', body: { secret: 'a secret', lobby_metadata: { map: 'harbour' } } },
      { method: 'POST', route: 'createLobbyMessage', body: { content: 'Ahoy' } },
    ]);
    expect(world.traffic.calls({ by: 'bot' })).toMatchObject([
      { route: 'getLobby', method: 'GET', params: { lobby_id }, status: 200 },
      { route: 'createInteractionResponse', body: { type: 4, data: { content: 'rally []' } } },
    ]);
    expect(world.traffic.events({ by: 'ada' })).toContain('LOBBY_CREATE');
    expect(world.traffic.events({ by: 'ada' })).not.toContain('INTERACTION_CREATE');
    expect(world.traffic.events({ by: 'bot' })).toContain('INTERACTION_CREATE');
  });

  it('assert what a game wrote, with the fields that matter; the error has the differences', async () => {
    const ada = await world.player('ada');
    world.traffic.clear();
    const { id: lobby_id } = await ada.lobbies.join('a harbour');
    await ada.lobbies.get(lobby_id)?.send('Ahoy');
    const { traffic } = world;
    const by = { by: 'ada' };
    traffic.assertWrites(
      ['joinLobby', { route: 'createLobbyMessage', params: { lobby_id }, body: { content: 'Ahoy' } }],
      by,
    );
    traffic.assertWrites([], { by: 'grace' });
    for (const wrong of [
      [],
      ['joinLobby'],
      ['createLobbyMessage', 'joinLobby'],
      ['joinLobby', 'createLobbyMessage', 'joinLobby'],
    ] as const) {
      expect(() => traffic.assertWrites(wrong, by)).toThrow(AssertionError);
    }
    const error = thrownBy(() =>
      traffic.assertWrites(['joinLobby', { route: 'createLobbyMessage', body: { content: 'Hoy' }, status: 201 }], by),
    );
    expect(error).toMatchObject({
      message: 'The game wrote other calls than expected: joinLobby, createLobbyMessage.',
      actual: [{ route: 'joinLobby' }, { route: 'createLobbyMessage', body: { content: 'Ahoy' }, status: 201 }],
      expected: [{ route: 'joinLobby' }, { route: 'createLobbyMessage', body: { content: 'Hoy' }, status: 201 }],
    });
  });
});

describe('the state of a world', () => {
  it('is restored by a snapshot: what came later is gone, and backends continue listening', async () => {
    const saved = await world.snapshot();
    const ada = await world.player('ada');
    const { id: lobbyId } = await ada.lobbies.join('later');
    await world.restore(saved);
    await expect(world.backend.lobbies.get(lobbyId)).rejects.toMatchObject({ code: 'unknown_lobby' });
    expect(ada.status.status).toBe('disconnected');
    expect(world.user('ada').messages()).toEqual([]);
    expect((await world.user('ada').use('/rally', { where: 'again' })).content).toContain('again');
    expect((await world.player('ada')).status.status).toBe('ready');
  });

  it.each([{}, undefined, { version: 1 }])('is not replaced by %j, which is no snapshot', async value => {
    const own = await createWorld();
    await own.backend.commands.create({ name: 'kept', description: 'Kept' });
    await expect(own.restore(value as never)).rejects.toMatchObject({ name: 'ArgumentError', code: 'bad_content' });
    expect(await own.backend.commands.list()).toHaveLength(1);
    await own.close();
  });

  it('is that of the start after a reset', async () => {
    const own = await createWorld();
    await own.backend.commands.create({ name: 'later', description: 'Later' });
    await own.reset();
    expect(await own.backend.commands.list()).toEqual([]);
    await own.close();
  });

  it('is its own: two worlds of one process share nothing', async () => {
    const [one, other] = await Promise.all([createWorld(), createWorld({ users: ['ada', 'alan'] })]);
    await one.backend.commands.create({ name: 'only', description: 'Only here' });
    await one.advance('5 min');
    expect(await other.backend.commands.list()).toEqual([]);
    expect(one.clock.now()).toBeGreaterThan(other.clock.now());
    await expect(other.user('alan').use('/only')).rejects.toMatchObject({ code: 'not_in_world' });
    await Promise.all([one.close(), other.close()]);
  });

  it('begins with fixtures that are the same every time', () => {
    expect(createFixtures()).toEqual(createFixtures());
    expect(createFixtures({ users: ['alan'], channels: [{ name: 'sea', nsfw: true }] })).toMatchObject({
      users: [{ username: 'alan', global_name: 'Alan' }],
      guilds: [{ channels: [{ name: 'sea', nsfw: true }] }],
    });
    expect(() => createFixtures({ users: [] })).toThrow(/at least one user/);
    expect(() => createFixtures({ users: 'ada' as never })).toThrow('users must be an array (got "ada").');
    expect(() => createFixtures({ channels: {} as never })).toThrow('channels must be an array (got object).');
  });
});

describe('the end of a world', () => {
  it('finds the gateway connection that a test left open, and closes the service nevertheless', async () => {
    const own = await createWorld();
    const { baseUrl, applicationId, botToken } = own;
    const left = createBackend({ baseUrl, applicationId, botToken });
    await left.interactions.listen(() => {});
    await expect(own.close()).rejects.toMatchObject({
      code: 'left_open',
      message: 'The test left 1 gateway connection open. Close every client and backend that it creates.',
    });
    left.close();
    await expect(fetch(baseUrl)).rejects.toThrow();
  });

  it('finds a timer that still waits on its clock', async () => {
    const own = await createWorld();
    own.clock.schedule(60_000, () => {});
    await expect(own.close()).rejects.toMatchObject({
      code: 'left_open',
      message: expect.stringContaining('1 timer open'),
    });
  });

  it('comes by itself with `await using`', async () => {
    let status: string | undefined;
    {
      await using own = await createWorld();
      const ada = await own.player('ada');
      ada.status$.subscribe(next => {
        status = next.status;
      });
      expect(status).toBe('ready');
    }
    expect(status).toBe('disconnected');
  });

  it('rejects what users still wait for', async () => {
    const own = await createWorld();
    await own.backend.commands.create({ name: 'later', description: 'Never comes' });
    await own.backend.commands.create({ name: 'silence', description: 'Is never answered' });
    const received = Promise.withResolvers<void>();
    await own.backend.interactions.listen(async ({ payload, defer }) => {
      if ((payload.data as { name: string }).name === 'later') await defer();
      else received.resolve();
    });
    const { completed } = await own.user('ada').use('/later');
    const ended = [completed(), own.user('grace').use('/silence')].map(waiting =>
      expect(waiting).rejects.toMatchObject({ code: 'closed' }),
    );
    await received.promise;
    await own.close();
    await Promise.all(ended);
  });

  it('closes what the world has given out', async () => {
    const own = await createWorld();
    const ada = await own.player('ada');
    await own.backend.interactions.listen(() => {});
    await own.close();
    expect(ada.status.status).toBe('disconnected');
    await expect(own.user('ada').use('/rally')).rejects.toMatchObject({ code: 'closed' });
    await expect(own.player('ada')).rejects.toMatchObject({ code: 'closed' });
    expect(() => own.createBackend()).toThrow('This world has been closed.');
  });

  it('rejects what needs the service with `closed` once the world is closed', async () => {
    const own = await createWorld();
    const start = await own.snapshot();
    await own.close();
    const late = await Promise.allSettled([own.advance('1 s'), own.snapshot(), own.restore(start), own.reset()]);
    for (const outcome of late) expect(outcome).toMatchObject({ reason: { name: 'ArgumentError', code: 'closed' } });
  });
});
