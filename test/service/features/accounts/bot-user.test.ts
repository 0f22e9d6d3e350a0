import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import { type Identify, intents, type Ready } from '../../../../src/model/gateway.ts';
import type { Guild } from '../../../../src/model/guild.ts';
import type { Interaction } from '../../../../src/model/interaction.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { useCommand } from '../../../support/commands/use-command.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { RestartingService } from '../../../support/service/restarting-service.ts';
import { botHeaders, callApi, starfall } from '../../../support/service/starfall.ts';
import { clientToken, playerToken, sessionToken } from '../../../support/service/tokens.ts';
import { unsetUserFields } from '../../../support/user-fields.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;
const named = (username: string) => ({
  ...{ id: application.id, username, global_name: null, discriminator: '0000', ...unsetUserFields, bot: true },
});
/** As the bot sees itself. */
const ownView = (username: string) => ({ ...named(username), mfa_enabled: false, locale: 'en-US' });

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  await service.reset();
});
afterAll(() => service.close());

async function join(fields: Partial<Identify> = {}): Promise<GatewayClient> {
  const client = await GatewayClient.identified(service.gateway, { token: application.bot_token, ...fields });
  clients.push(client);
  await client.beat();
  return client;
}

const rename = (username: unknown) => callApi(service, 'PATCH', '/users/@me', { username });
const shown = async (path: string) => (await callApi(service, 'GET', path)).body;

describe('PATCH /users/@me', () => {
  it('changes the name that the bot has everywhere', async () => {
    expect(await rename('  Harbour   Master ')).toMatchObject({ status: 200, body: named('Harbour Master') });
    const user = named('Harbour Master');
    expect(await shown('/users/@me')).toEqual(ownView('Harbour Master'));
    expect(await shown(`/users/${application.id}`)).toEqual(user);
    expect(await shown('/applications/@me')).toMatchObject({ name: application.name, bot: user });
    expect(await shown(`/guilds/${guild.id}/members/${application.id}`)).toMatchObject({ user });
    expect(await shown(`/guilds/${guild.id}/members/search?query=harb`)).toMatchObject([{ user }]);
    const client = await join({ intents: intents.GUILDS });
    expect((await client.dispatch<Ready>('READY')).user).toEqual(user);
    expect((await client.dispatch<Guild>('GUILD_CREATE')).members).toMatchObject([{ user }]);
  });

  it('gives the new name to the author of what it answers from then on', async () => {
    const path = `/applications/${application.id}/commands`;
    const greet = (await callApi(service, 'POST', path, { name: 'greet', description: 'Greets' })).body as Command;
    const client = await join();
    await rename('Harbour');
    await useCommand(service, greet, ada.id);
    const { id, token } = await client.dispatch<Interaction>('INTERACTION_CREATE');
    const answer = { type: 4, data: { content: 'Hello' } };
    await callApi(service, 'POST', `/interactions/${id}/${token}/callback`, answer);
    const message = await shown(`/webhooks/${application.id}/${token}/messages/@original`);
    expect(message).toMatchObject({ author: named('Harbour') });
  });

  it('changes nothing that it does not say, and says so again', async () => {
    await rename('Harbour');
    for (const body of [{}, { username: null }, { avatar: null, banner: null, bio: 'Hello' }]) {
      expect(await callApi(service, 'PATCH', '/users/@me', body)).toMatchObject({
        status: 200,
        body: named('Harbour'),
      });
    }
    await callApi(service, 'PATCH', '/applications/@me', { description: 'Quay' });
    expect(await shown('/applications/@me')).toMatchObject({ description: 'Quay', bot: named('Harbour') });
  });

  it('takes a picture and shows that there is none', async () => {
    const avatar = 'data:image/png;base64,iVBORw0KGgo=';
    const { status, body } = await callApi(service, 'PATCH', '/users/@me', { avatar, banner: avatar });
    expect({ status, body }).toEqual({ status: 200, body: ownView(application.name) });
  });

  it('says all that is wrong with a body, and then does nothing of it', async () => {
    const { status, body } = await callApi(service, 'PATCH', '/users/@me', { username: 'Harbour', avatar: 'me.png' });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { avatar: { _errors: [{ code: 'IMAGE_INVALID' }] } } },
    });
    expect(await shown('/users/@me')).toEqual(ownView(application.name));
    expect(await rename('a')).toMatchObject({
      status: 400,
      body: { errors: { username: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH' }] } } },
    });
    expect(await callApi(service, 'PATCH', '/users/@me', [])).toMatchObject({ status: 400, body: { code: 50035 } });
  });

  it('is for bots alone', async () => {
    const asked = async (authorization: string) => {
      const headers = { ...botHeaders, authorization };
      const { status, body } = await callApi(service, 'PATCH', '/users/@me', { username: 'Mine' }, headers);
      return { status, code: (body as { code: number }).code };
    };
    expect(await asked(`Bearer ${await playerToken(service, ada.id, 'identify')}`)).toEqual({
      status: 403,
      code: 20002,
    });
    expect(await asked(`Bearer ${await clientToken(service, 'identify')}`)).toEqual({ status: 403, code: 20002 });
    expect(await asked(await sessionToken(service, ada.id))).toEqual({ status: 403, code: 20002 });
    expect(await asked('Bot wrong')).toEqual({ status: 401, code: 0 });
    expect(await shown('/users/@me')).toEqual(ownView(application.name));
  });

  it('keeps the name when a document names the application again, and loses it with a reset', async () => {
    await rename('Harbour');
    const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ applications: [{ id: application.id, name: 'Starfall II' }] });
    expect((await fetch(`${service.controlBase}/fixtures`, { method: 'POST', headers, body })).status).toBe(200);
    expect(await shown('/applications/@me')).toMatchObject({ name: 'Starfall II', bot: named('Harbour') });
    await service.reset();
    expect(await shown('/applications/@me')).toMatchObject({ name: application.name, bot: named(application.name) });
  });
});

describe('a bot that gets another name', () => {
  it('receives the change on every shard with any intents, and so do the bots of its guilds with GUILD_MEMBERS', async () => {
    const shards = [await join({ shard: [0, 3] }), await join({ shard: [1, 3] })];
    const listening = await join({ intents: intents.GUILD_MEMBERS });
    await rename('Harbour');
    for (const client of [...shards, listening]) expect(await client.dispatch('USER_UPDATE')).toEqual(named('Harbour'));
    expect(await listening.dispatch('GUILD_MEMBER_UPDATE')).toMatchObject({
      ...{ guild_id: guild.id, user: named('Harbour'), roles: [], nick: null },
    });
    for (const client of shards) {
      await client.beat();
      expect(client.names).not.toContain('GUILD_MEMBER_UPDATE');
    }
  });

  it('receives no event when the name is the same or the body is rejected', async () => {
    const client = await join();
    await rename('Harbour');
    await rename('Harbour');
    await rename('a');
    await callApi(service, 'PATCH', '/users/@me', { avatar: null });
    await rename('Quay');
    await client.frame(({ t, d }) => t === 'USER_UPDATE' && (d as { username: string }).username === 'Quay');
    expect(client.names.filter(name => name === 'USER_UPDATE')).toHaveLength(2);
  });

  it('is shown under it in guilds that it comes into later', async () => {
    const client = await join({ intents: intents.GUILDS });
    await rename('Harbour');
    await client.dispatch('USER_UPDATE');
    const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ guilds: [{ id: '77', name: 'Quay', applications: [application.id] }] });
    await fetch(`${service.controlBase}/fixtures`, { method: 'POST', headers, body });
    const { d } = await client.frame(({ t, d }) => t === 'GUILD_CREATE' && (d as Guild).id === '77');
    expect((d as Guild).members).toMatchObject([{ user: named('Harbour') }]);
  });

  it('has it after a restart, too, and can catch up with the event', async () => {
    const restarting = await RestartingService.start({ fixtures: starfall, limits: 'off' });
    const before = await GatewayClient.identified(restarting.now.gateway, { token: application.bot_token });
    await before.beat();
    before.socket.terminate();
    await before.closed;
    await callApi(restarting.now, 'PATCH', '/users/@me', { username: 'Harbour' });
    await restarting.restart('killed');
    expect((await callApi(restarting.now, 'GET', '/users/@me')).body).toEqual(ownView('Harbour'));
    const after = await GatewayClient.resumed(restarting.now.gateway, application.bot_token, before);
    expect(await after.dispatch('USER_UPDATE')).toEqual(named('Harbour'));
    await after.end();
    await restarting.close();
  });
});
