import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../src/model/command.ts';
import type { Interaction } from '../../../src/model/interaction.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { GatewayClient } from '../../support/gateway-client.ts';
import { callApi, starfall } from '../../support/starfall.ts';
import { sessionToken } from '../../support/tokens.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada] = starfall.users;
const anybody = { 'content-type': 'application/json' };
const hello = { type: 4, data: { content: 'Hello' } };

let service: Service;
let bot: GatewayClient;
let user: GatewayClient;
let command: Command;
let userHeaders: Record<string, string>;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  const path = `/applications/${application.id}/commands`;
  command = (await callApi(service, 'POST', path, { name: 'greet', description: 'Greets' })).body as Command;
  const token = await sessionToken(service, ada.id);
  userHeaders = { ...anybody, authorization: token };
  bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
  user = await GatewayClient.identified(service.gateway, { token });
});
afterAll(async () => {
  await Promise.all([bot.end(), user.end()]);
  await service.close();
});

/** Uses the command and gives what the bot heard of it. */
async function used(nonce: string): Promise<Interaction> {
  const { id, version, name, type } = command;
  const body = {
    type: 2,
    application_id: application.id,
    guild_id: guild.id,
    channel_id: guild.channels[0].id,
    nonce,
    data: { id, version, name, type },
  };
  const before = bot.frames.length;
  expect(await callApi(service, 'POST', '/interactions', body, userHeaders)).toMatchObject({ status: 204 });
  await bot.until(() => bot.frames.length > before);
  return bot.frames.at(-1)?.d as Interaction;
}

const callback = ({ id, token }: Interaction, query = '', body: unknown = hello) =>
  callApi(service, 'POST', `/interactions/${id}/${token}/callback${query}`, body, anybody);

describe('an interaction over HTTP and the gateway', () => {
  it.each(['', '?with_response=false', '?with_response=0'])(
    'is answered with 204, no body and no content type%s',
    async query => {
      const { status, body, headers } = await callback(await used('a'), query);
      expect({ status, body, type: headers.get('content-type') }).toEqual({ status: 204, body: undefined, type: null });
    },
  );

  it.each(['?with_response=true', '?with_response=True', '?with_response=1'])(
    'is answered with 200 and the message for %s',
    async query => {
      expect(await callback(await used('b'), query)).toMatchObject({
        status: 200,
        body: { resource: { type: 4, message: { content: 'Hello' } } },
      });
    },
  );

  it("lets the user's own client hear the outcome under its own name for it", async () => {
    const interaction = await used('of success');
    await callback(interaction);
    const message = await user.frame(
      ({ t, d }) => t === 'MESSAGE_CREATE' && (d as { nonce: string }).nonce === 'of success',
    );
    expect(message.d).toMatchObject({ content: 'Hello', interaction_metadata: { id: interaction.id } });
    await used('of failure');
    await service.clock.advance(3_000);
    expect((await user.dispatch<{ nonce: string }>('INTERACTION_FAILURE')).nonce).toBe('of failure');
    expect(user.names).toContain('INTERACTION_SUCCESS');
  });

  it('keeps the token out of the journal', async () => {
    const { token } = await used('d');
    const answer = await fetch(`${service.control_base}/log?after=0`, {
      headers: { authorization: `Bearer ${service.control_token}` },
    });
    const text = await answer.text();
    expect(text).toContain('INTERACTION_CREATE');
    expect(text).not.toContain(token);
    expect(text).not.toContain(userHeaders.authorization);
    expect(text).not.toContain(application.bot_token);
  });

  it('gives each refusal its status and code', async () => {
    const interaction = await used('c');
    expect(await callback(interaction, '', { type: 4 })).toMatchObject({ status: 400, body: { code: 50006 } });
    expect(await callback(interaction, '', { type: 9 })).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(await callback(interaction, '?with_response=2')).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(await callback({ ...interaction, token: 'x' })).toMatchObject({ status: 404, body: { code: 10062 } });
    const original = `/webhooks/${application.id}/${interaction.token}/messages/@original`;
    expect(await callApi(service, 'GET', original, undefined, {})).toMatchObject({
      status: 404,
      body: { code: 10015 },
    });
    await callback(interaction);
    expect(await callback(interaction)).toMatchObject({ status: 400, body: { code: 40060 } });
    expect(await callApi(service, 'GET', original.replace('@', '%40'), undefined, {})).toMatchObject({
      status: 200,
      body: { content: 'Hello' },
    });
    await service.clock.advance(15 * 60_000);
    expect(await callApi(service, 'GET', original, undefined, {})).toMatchObject({
      status: 401,
      body: { code: 50027 },
    });
  });
});
