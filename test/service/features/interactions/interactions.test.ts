import { beforeEach, describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../src/model/guild.ts';
import type { CallbackResponse, Interaction } from '../../../../src/model/interaction.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { CommandOverwrite } from '../../../../src/model/overwrite.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { createInteractions, type Interactions } from '../../../../src/service/features/interactions/interactions.ts';
import type { CommandRecord, GuildRecord } from '../../../../src/service/store/records.ts';
import { ada, ben, cyn, makeWorld, refusal, restarted, userRecord, type World } from '../support.ts';
import { channelId, command, guild, guildId, use, usual } from './world.ts';

const answerMs = limits.interactionAnswerMs;
const hello = { type: 4, data: { content: 'Hello' } };

let world: World;
let interactions: Interactions;
let stop: () => void;
let heard: { name: string; data: Record<string, unknown> }[];

beforeEach(async () => {
  world = await makeWorld();
  await world.core.store.transact('place', transaction => {
    transaction.put('guilds', guild());
    for (const user_id of [ada, ben]) {
      transaction.put('guild_members', { guild_id: guildId, user_id, roles: [], nick: null, joined_at_ms: 0 });
    }
    const home = command({ id: '901', name: 'home', guild_id: guildId });
    for (const record of [command(), home, command({ id: '902', name: 'away', guild_id: '501' })]) {
      transaction.put('commands', record);
    }
  });
  interactions = await started(world.core);
  heard = [];
  for (const topic of [topics.application('1'), topics.user(ada)]) {
    await world.core.bus.subscribe(topic, ({ event }) => {
      if (event) heard.push({ name: event.name, data: JSON.parse(event.data) });
    });
  }
});

async function started(core: World['core']): Promise<Interactions> {
  const made = createInteractions(core);
  stop = await made.start();
  return made;
}

async function used(body = use(), userId = ada): Promise<Interaction> {
  await interactions.invoke(userRecord(userId), body);
  return heard.findLast(({ name }) => name === 'INTERACTION_CREATE')?.data as unknown as Interaction;
}

const answer = ({ id, token }: Interaction, body: unknown = hello): Promise<CallbackResponse> =>
  interactions.answer(id, token, body);
const names = () => heard.map(({ name }) => name);

describe('a command used in a guild', () => {
  it('reaches the application with every field that is always there', async () => {
    const interaction = await used(use({}, { options: [{ type: 3, name: 'whom', value: 'you', extra: 1 }] }));
    expect(interaction).toEqual({
      id: expect.stringMatching(/^\d+$/),
      application_id: '1',
      type: 2,
      data: { id: '900', name: 'greet', type: 1, options: [{ type: 3, name: 'whom', value: 'you' }] },
      guild: { id: guildId, features: [], locale: 'de' },
      guild_id: guildId,
      guild_locale: 'de',
      channel: expect.objectContaining({ id: channelId, type: 0, name: 'general', guild_id: guildId }),
      channel_id: channelId,
      member: expect.objectContaining({ user: expect.objectContaining({ id: ada }), permissions: usual, roles: [] }),
      token: expect.any(String),
      version: 1,
      app_permissions: usual,
      locale: 'en-US',
      entitlements: [],
      authorizing_integration_owners: { 0: guildId },
      context: 0,
      attachment_size_limit: 10_485_760,
    });
    expect(Buffer.from(interaction.token, 'base64').toString()).toMatch(
      new RegExp(`^interaction:${interaction.id}:[0-9a-z]{128}$`),
    );
  });

  it('names the guild of a guild command', async () => {
    const interaction = await used(use({}, { id: '901', name: 'home' }));
    expect(interaction.data).toEqual({ id: '901', name: 'home', type: 1, guild_id: guildId });
  });

  it('shows what an owner may do: everything', async () => {
    const interaction = await used(use(), ben);
    expect(BigInt(interaction.member?.permissions ?? 0)).toBe((1n << 54n) - 1n);
  });
});

describe("a command used in the bot's direct messages", () => {
  it('shows the user instead of a member, and what a bot may do there', async () => {
    const interaction = await used(use({ guild_id: undefined }));
    expect(interaction).toMatchObject({
      user: { id: ada },
      context: 1,
      app_permissions: '442368',
      authorizing_integration_owners: { 0: '0' },
      channel: { id: channelId, type: 1 },
    });
    expect(interaction).not.toHaveProperty('member');
    expect(interaction).not.toHaveProperty('guild_id');
  });

  it('is rejected for a user who shares no guild with the bot', async () => {
    const refused = interactions.invoke(userRecord(cyn), use({ guild_id: null }));
    expect(await refusal(refused)).toMatchObject({ reason: 'missing_access' });
  });

  it('is rejected for a guild command, and for one whose contexts leave it out', async () => {
    const home = interactions.invoke(userRecord(ada), use({ guild_id: null }, { id: '901', name: 'home' }));
    expect(await refusal(home)).toMatchObject({ reason: 'invalid_form_body', paths: ['data.id'] });
    for (const fields of [{ contexts: [0] as const }, { dm_permission: false }]) {
      await world.core.store.transact('place', transaction => transaction.put('commands', command(fields)));
      const direct = interactions.invoke(userRecord(ada), use({ guild_id: null }));
      expect(await refusal(direct)).toMatchObject({ reason: 'invalid_form_body', paths: ['data.id'] });
    }
  });

  it('is open to a user who has installed the application for a command of that kind', async () => {
    await world.core.store.transact('place', transaction => {
      transaction.put('commands', command({ integration_types: [1] }));
      const scopes = ['applications.commands'];
      transaction.put('authorizations', { id: '1', application_id: '1', user_id: cyn, scopes });
    });
    await interactions.invoke(userRecord(cyn), use({ guild_id: null }));
    expect(heard.at(-1)?.data.authorizing_integration_owners).toEqual({ 1: cyn });
  });
});

describe('a command used in the direct messages of two users', () => {
  const invoke = (userId = ada) => interactions.invoke(userRecord(userId), use({ guild_id: null, channel_id: '77' }));

  beforeEach(() =>
    world.core.store.transact('place', transaction => {
      const pair = `${ada}/${ben}`;
      transaction.put('direct_channels', {
        id: '77',
        pair,
        user_ids: [ada, ben],
        last_message_id: null,
        message_count: 0,
      });
      transaction.put('commands', command({ integration_types: [0, 1], contexts: [1, 2] }));
      const scopes = ['applications.commands'];
      transaction.put('authorizations', { id: '1', application_id: '1', user_id: ada, scopes });
      transaction.put('authorizations', { id: '2', application_id: '1', user_id: cyn, scopes });
    }),
  );

  it('has the context of a private channel, and is there for the user who installed the application', async () => {
    await invoke();
    expect(heard.at(-1)?.data).toMatchObject({
      user: { id: ada },
      context: 2,
      app_permissions: '180224',
      authorizing_integration_owners: { 1: ada },
      channel: { id: '77', type: 1 },
    });
    expect(heard.at(-1)?.data.authorizing_integration_owners).toEqual({ 1: ada });
  });

  it('is rejected for one who has not installed it, for others, and for a command that is not offered there', async () => {
    expect(await refusal(invoke(ben))).toMatchObject({ reason: 'missing_access' });
    expect(await refusal(invoke(cyn))).toMatchObject({ reason: 'unknown_channel' });
    for (const contexts of [[0, 1] as const, null]) {
      const fields = { integration_types: [0, 1] as const, contexts };
      await world.core.store.transact('place', transaction => transaction.put('commands', command(fields)));
      expect(await refusal(invoke())).toMatchObject({ reason: 'invalid_form_body', paths: ['data.id'] });
    }
  });
});

describe('a use that cannot be', () => {
  it.each([
    ['no object', [], ''],
    ['another type', use({ type: 6 }), 'type'],
    ['a ping', use({ type: 1 }), 'type'],
    ['no type', use({ type: undefined }), 'type'],
    ['no application', use({ application_id: undefined }), 'application_id'],
    ['an id that is none', use({ channel_id: 'general' }), 'channel_id'],
    ['a guild that is no id', use({ guild_id: {} }), 'guild_id'],
    ['a nonce of 26 characters', use({ nonce: 'x'.repeat(26) }), 'nonce'],
    ['no data', use({ data: null }), 'data'],
    ['data that is a list', use({ data: [] }), 'data'],
    ['an unknown type of command', use({}, { type: 5 }), 'data.type'],
    ['a user command on nobody', use({}, { type: 2 }), 'data.target_id'],
    ['a message command on no id', use({}, { type: 3, target_id: 'x' }), 'data.target_id'],
    ['a command of another type', use({}, { type: 3, target_id: '1' }), 'data.id'],
    ['something typed for no chat command', use({ type: 4 }, { type: 2, target_id: '1' }), 'data.type'],
    ['an unknown command', use({}, { id: '999' }), 'data.id'],
    ['a command of another guild', use({}, { id: '902', name: 'away' }), 'data.id'],
    ["another command's name", use({}, { name: 'greeting' }), 'data.id'],
    ['an old version', use({}, { version: '76' }), 'data.version'],
    ['an unknown option', use({}, { options: [{ type: 3, name: 'who', value: 'x' }] }), 'data.options.0.name'],
    ['options that are no list', use({}, { options: 'x' }), 'data.options'],
  ])('is refused at its field: %s', async (_, body, path) => {
    const refused = await refusal(interactions.invoke(userRecord(ada), body));
    expect(refused).toMatchObject({ reason: 'invalid_form_body' });
    expect(refused.paths).toContain(path);
    expect(heard).toEqual([]);
  });

  it.each([
    ['unknown_application', use({ application_id: '3' }), ada],
    ['unknown_guild', use({ guild_id: '501' }), ada],
    ['unknown_channel', use({ channel_id: '701' }), ada],
    ['missing_access', use(), cyn],
  ])('is refused with %s', async (reason, body, userId) => {
    expect(await refusal(interactions.invoke(userRecord(userId), body))).toMatchObject({ reason });
  });

  it('is rejected where the application is not installed, and for a command of another application', async () => {
    await world.core.store.transact('place', transaction => transaction.put('guilds', guild({ applications: ['2'] })));
    expect(await refusal(interactions.invoke(userRecord(ada), use()))).toMatchObject({ reason: 'missing_access' });
    const foreign = interactions.invoke(userRecord(ada), use({ application_id: '2' }));
    expect(await refusal(foreign)).toMatchObject({ reason: 'invalid_form_body', paths: ['data.id'] });
  });

  it.each<[string, Partial<CommandRecord>, readonly CommandOverwrite[], string]>([
    ['to whom the default denies it', { default_member_permissions: '32' }, [], 'missing_permissions'],
    ['to whom an overwrite denies it', {}, [{ id: ada, type: 2, permission: false }], 'missing_permissions'],
    ['where the channel denies it', {}, [{ id: channelId, type: 3, permission: false }], 'missing_permissions'],
    ['in a channel that is not for its age', { nsfw: true }, [], 'missing_access'],
  ])('is refused to a member %s', async (_, fields, permissions, reason) => {
    await world.core.store.transact('permissions', transaction => {
      transaction.put('commands', command(fields));
      if (permissions.length === 0) return;
      const target = { guild_id: guildId, application_id: '1', target_id: '900' };
      transaction.put('command_overwrites', { ...target, permissions });
    });
    expect((await refusal(used())).reason).toBe(reason);
    expect(heard).toEqual([]);
  });

  it('is rejected for a member without the permissions to use commands, or a user command to one who may not send', async () => {
    const everyone = (permissions: bigint) => ({
      id: guildId,
      name: '@everyone',
      permissions: `${permissions}`,
      position: 0,
    });
    const put = (fields: Partial<GuildRecord>) =>
      world.core.store.transact('place', transaction => transaction.put('guilds', guild(fields)));
    for (const bit of [permissionBits.VIEW_CHANNEL, permissionBits.USE_APPLICATION_COMMANDS]) {
      await put({ roles: [everyone(BigInt(usual) ^ bit)] });
      expect((await refusal(used())).reason).toBe('missing_access');
    }
    await put({ roles: [everyone(BigInt(usual) ^ permissionBits.SEND_MESSAGES)] });
    await used();
  });

  it("goes by a thread's channel", async () => {
    const [general] = guild().channels;
    const thread = { id: '701', type: 11, name: 'thread', nsfw: false, position: 1, parent_id: channelId };
    await world.core.store.transact('place', transaction => {
      const overwrites = [{ id: guildId, type: 0 as const, allow: '0', deny: '1024' }];
      transaction.put(
        'guilds',
        guild({ channels: [...(general ? [general] : []), { ...thread, permission_overwrites: overwrites }] }),
      );
    });
    const inThread = use({ channel_id: '701' });
    expect(await used(inThread)).toMatchObject({ channel: { id: '701', type: 11 }, member: { permissions: usual } });
    await world.core.store.transact('place', transaction => {
      const permissions = [{ id: channelId, type: 3 as const, permission: false }];
      transaction.put('command_overwrites', { guild_id: guildId, application_id: '1', target_id: '1', permissions });
    });
    expect((await refusal(used(inThread))).reason).toBe('missing_permissions');
  });

  it('names an outdated version by its code, so that the client loads the command again', async () => {
    const { fault } = await refusal(interactions.invoke(userRecord(ada), use({}, { version: '76' })));
    expect(fault.issues[0]?.code).toBe('INTERACTION_APPLICATION_COMMAND_INVALID_VERSION');
  });
});

describe('an answer', () => {
  it('becomes a message of the bot, which the user receives and every holder of the token can read', async () => {
    const interaction = await used();
    const response = await answer(interaction);
    const message = response.resource?.message;
    expect(message).toMatchObject({
      channel_id: channelId,
      guild_id: guildId,
      author: { id: '1', bot: true },
      content: 'Hello',
      type: 20,
      flags: 0,
      nonce: 'n1',
      timestamp: '2026-01-01T00:00:00.000000+00:00',
      interaction_metadata: { id: interaction.id, type: 2, user: { id: ada } },
    });
    expect(response.interaction).toEqual({
      id: interaction.id,
      type: 2,
      response_message_id: message?.id,
      response_message_loading: false,
      response_message_ephemeral: false,
    });
    expect(heard.slice(1)).toEqual([
      { name: 'INTERACTION_SUCCESS', data: { id: interaction.id, nonce: 'n1' } },
      { name: 'MESSAGE_CREATE', data: message },
    ]);
    expect(await interactions.message('1', interaction.token, '@original')).toEqual(message);
  });

  it('says that an ephemeral message is one', async () => {
    const response = await answer(await used(), { type: 4, data: { content: 'Psst', flags: 64 } });
    expect(response.interaction.response_message_ephemeral).toBe(true);
  });

  it('counts when it comes 2,999 ms after the use, and not at 3,000', async () => {
    const timely = await used();
    await world.core.clock.advance(answerMs - 1);
    await answer(timely);
    const late = await used();
    await world.core.clock.advance(answerMs);
    expect(await refusal(answer(late))).toMatchObject({ reason: 'unknown_interaction' });
  });

  it('is late by the clock also when nothing sweeps', async () => {
    stop();
    const late = await used();
    await world.core.clock.advance(answerMs);
    expect(await refusal(answer(late))).toMatchObject({ reason: 'unknown_interaction' });
  });

  it('is rejected a second time, also when two answers arrive concurrently', async () => {
    const interaction = await used();
    const both = await Promise.allSettled([answer(interaction), answer(interaction)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await refusal(answer(interaction))).toMatchObject({ reason: 'already_acknowledged' });
    await world.core.clock.advance(answerMs);
    expect(await refusal(answer(interaction))).toMatchObject({ reason: 'already_acknowledged' });
    expect(names().filter(name => name === 'MESSAGE_CREATE')).toHaveLength(1);
  });

  it('is rejected for an unknown interaction and for the token of another', async () => {
    const [one, other] = [await used(), await used()];
    for (const refused of [
      answer({ ...one, id: '1' }),
      answer({ ...one, token: other.token }),
      answer({ ...one, token: 'x' }),
    ]) {
      expect(await refusal(refused)).toMatchObject({ reason: 'unknown_interaction' });
    }
    await answer(one);
  });

  it.each([1, 6, 7, 8, 12])('cannot be of type %i', async type => {
    expect(await refusal(answer(await used(), { type }))).toMatchObject({
      reason: 'invalid_form_body',
      paths: ['type'],
    });
  });

  it('must say something, and may be tried again when it did not', async () => {
    const interaction = await used();
    for (const data of [undefined, {}, { content: '' }, { content: ' ' }, { embeds: [] }]) {
      expect(await refusal(answer(interaction, { type: 4, data }))).toMatchObject({ reason: 'empty_message' });
    }
    const tooLong = { type: 4, data: { content: 'x'.repeat(limits.messageContentLengthMax + 1) } };
    expect(await refusal(answer(interaction, tooLong))).toMatchObject({ paths: ['data.content'] });
    await answer(interaction, { type: 4, data: { embeds: [{ title: 'x' }] } });
  });
});

describe('an interaction without an answer', () => {
  it('fails after three seconds, and the user is notified once', async () => {
    const interaction = await used();
    await world.core.clock.advance(answerMs - 1);
    expect(names()).toEqual(['INTERACTION_CREATE']);
    await world.core.clock.advance(1);
    await world.core.clock.advance(60_000);
    expect(heard.slice(1)).toEqual([{ name: 'INTERACTION_FAILURE', data: { id: interaction.id, nonce: 'n1' } }]);
  });
});

describe('after a restart', () => {
  it('an answer in time still counts', async () => {
    const interaction = await used();
    interactions = await started(restarted(world, world.core.bus));
    await answer(interaction);
    await world.core.clock.advance(answerMs);
    expect(names()).not.toContain('INTERACTION_FAILURE');
  });

  it('what is due fails immediately', async () => {
    await used();
    const store = world.core.store;
    const waiting = await store.list('interactions');
    await world.core.clock.advance(answerMs);
    await store.transact('back', transaction => {
      for (const record of waiting) transaction.put('interactions', record);
    });
    heard = [];
    await started(restarted(world, world.core.bus));
    expect(names()).toEqual(['INTERACTION_FAILURE']);
  });
});

describe('the original message', () => {
  it('is unknown before the answer, and to a wrong token or application', async () => {
    const interaction = await used();
    expect(await refusal(interactions.message('1', interaction.token, '@original'))).toMatchObject({
      reason: 'unknown_webhook',
    });
    await answer(interaction);
    for (const refused of [
      interactions.message('2', interaction.token, '@original'),
      interactions.message('1', `${interaction.token.slice(0, -2)}AA`, '@original'),
      interactions.message('1', '', '@original'),
      interactions.message('1', '%%%', '@original'),
    ]) {
      expect(await refusal(refused)).toMatchObject({ reason: 'invalid_webhook_token' });
    }
  });

  it('cannot be read with a token that has expired, also when nothing sweeps', async () => {
    const interaction = await used();
    await answer(interaction);
    stop();
    await world.core.clock.advance(limits.interactionTokenLifeMs - 1);
    await interactions.message('1', interaction.token, '@original');
    await world.core.clock.advance(1);
    const late = interactions.message('1', interaction.token, '@original');
    expect((await refusal(late)).reason).toBe('invalid_webhook_token');
  });

  it('is kept from a token of the right form whose secret is wrong', async () => {
    const interaction = await used();
    await answer(interaction);
    const forged = Buffer.from(`interaction:${interaction.id}:${'a'.repeat(128)}`).toString('base64url');
    expect((await refusal(interactions.message('1', forged, '@original'))).reason).toBe('invalid_webhook_token');
    expect((await refusal(interactions.editMessage('1', forged, '@original', { content: 'x' }))).reason).toBe(
      'invalid_webhook_token',
    );
    expect((await refusal(answer({ ...(await used()), token: forged }))).reason).toBe('unknown_interaction');
  });

  it('can be read for fifteen minutes, after which the interaction is deleted', async () => {
    const interaction = await used();
    const failed = await used();
    await answer(interaction);
    await world.core.clock.advance(limits.interactionTokenLifeMs - 1);
    await interactions.message('1', interaction.token, '@original');
    expect(await refusal(interactions.message('1', failed.token, '@original'))).toMatchObject({
      reason: 'unknown_webhook',
    });
    await world.core.clock.advance(1);
    expect(await refusal(interactions.message('1', interaction.token, '@original'))).toMatchObject({
      reason: 'invalid_webhook_token',
    });
    for (const collection of ['interactions', 'interaction_messages'] as const) {
      expect(await world.core.store.list(collection)).toEqual([]);
    }
  });
});
