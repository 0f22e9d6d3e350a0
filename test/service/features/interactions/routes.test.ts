import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import type { Interaction } from '../../../../src/model/interaction.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { routePath } from '../../../../src/wire/routes.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { sessionToken } from '../../../support/service/tokens.ts';

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

  it("reports the outcome to the user's own client under the client's nonce", async () => {
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
    const answer = await fetch(`${service.controlBase}/log?after=0`, {
      headers: { authorization: `Bearer ${service.controlToken}` },
    });
    const text = await answer.text();
    expect(text).toContain('INTERACTION_CREATE');
    expect(text).not.toContain(token);
    expect(text).not.toContain(userHeaders.authorization);
    expect(text).not.toContain(application.bot_token);
  });

  it('continues in messages that its token opens, and no other credential', async () => {
    const interaction = await used('follow-ups');
    const path = { application_id: application.id, interaction_token: interaction.token };
    await callback(interaction, '', { type: 5 });
    const say = (method: string, at: string, body?: unknown) => callApi(service, method, at, body, anybody);
    const more = `${routePath('createFollowUp', path)}?wait=false`;
    expect(await say('POST', more, { content: 'first' })).toMatchObject({ status: 200, body: { content: 'first' } });
    const { body } = await say('POST', more, { content: 'second' });
    const one = { ...path, message_id: (body as { id: string }).id };
    for (const [edit, get, remove] of [
      [
        routePath('editOriginalResponse', path),
        routePath('getOriginalResponse', path),
        routePath('deleteOriginalResponse', path),
      ],
      [routePath('editFollowUp', one), routePath('getFollowUp', one), routePath('deleteFollowUp', one)],
    ] as const) {
      expect(await say('PATCH', edit, { content: 'edited' })).toMatchObject({
        status: 200,
        body: { content: 'edited' },
      });
      expect((await user.dispatch<{ content: string }>('MESSAGE_UPDATE')).content).toBe('first');
      expect(await say('GET', get)).toMatchObject({ status: 200, body: { content: 'edited' } });
      expect(await say('DELETE', remove)).toMatchObject({ status: 204, body: undefined });
      expect(await say('GET', get)).toMatchObject({ status: 404, body: { code: 10008 } });
    }
    await user.dispatch('MESSAGE_DELETE');
    expect(
      await say('POST', routePath('createFollowUp', { ...path, interaction_token: 'x' }), hello.data),
    ).toMatchObject({
      status: 401,
      body: { code: 50027 },
    });
  });

  it('suggests values while an option is typed', async () => {
    const options = [{ type: 3, name: 'map', description: 'x', autocomplete: true }];
    const path = `/applications/${application.id}/commands`;
    const { body } = await callApi(service, 'POST', path, { name: 'find', description: 'x', options });
    const { id, version, name, type } = body as Command;
    const before = bot.frames.length;
    const typing = {
      type: 4,
      application_id: application.id,
      guild_id: guild.id,
      channel_id: guild.channels[0].id,
      data: { id, version, name, type, options: [{ type: 3, name: 'map', value: 'ha', focused: true }] },
    };
    expect((await callApi(service, 'POST', '/interactions', typing, userHeaders)).status).toBe(204);
    await bot.until(() => bot.frames.length > before);
    const interaction = bot.frames.at(-1)?.d as Interaction;
    expect(interaction).toMatchObject({ type: 4, data: { version, options: [{ focused: true }] } });
    const choices = [{ name: 'harbour', value: 'harbour' }];
    expect((await callback(interaction, '', { type: 8, data: { choices } })).status).toBe(204);
    expect(await user.dispatch('APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE')).toEqual({ choices, nonce: null });
  });

  it('is rejected for a member who may not use the command: 403', async () => {
    const path = `/applications/${application.id}/commands`;
    await callApi(service, 'PATCH', `${path}/${command.id}`, { default_member_permissions: '0' });
    command = (await callApi(service, 'GET', `${path}/${command.id}`)).body as Command;
    const { id, version, name, type } = command;
    const use = { type: 2, application_id: application.id, guild_id: guild.id, channel_id: guild.channels[0].id };
    const token = await sessionToken(service, starfall.users[1].id);
    const headers = { ...anybody, authorization: token };
    const answer = await callApi(
      service,
      'POST',
      '/interactions',
      { ...use, data: { id, version, name, type } },
      headers,
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 50013 } });
    expect((answer.body as { message: string }).message).toMatch(/^Missing Permissions: /);
  });

  it('gives each rejection its status and code', async () => {
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

describe('as forms', () => {
  // What came before has let more time pass than a silent session lives.
  beforeAll(async () => {
    await bot.closed;
    bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
  });

  const send = async (method: string, path: string, body: FormData | URLSearchParams) => {
    const answer = await fetch(`${service.apiBase}/v10${path}`, { method, body });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const parts = (payload: object, file = 'picture') => {
    const form = new FormData();
    form.set('payload_json', JSON.stringify(payload));
    form.set('files[0]', new File([file], 'picture.png', { type: 'image/png' }));
    return form;
  };

  it('callbacks, follow-ups and edits are taken, as libraries send them with files', async () => {
    const { id, token } = await used('form');
    const webhook = `/webhooks/${application.id}/${token}`;
    expect(await send('POST', `/interactions/${id}/${token}/callback`, parts(hello))).toMatchObject({ status: 204 });
    const followUp = await send('POST', webhook, parts({ content: 'Next', flags: 64 }));
    expect(followUp).toMatchObject({ status: 200, body: { content: 'Next', flags: 64 } });
    const edited = { status: 200, body: { content: 'Edited' } };
    for (const which of ['@original', followUp.body.id]) {
      const path = `${webhook}/messages/${which}`;
      expect(await send('PATCH', path, parts({ content: 'Edited' }))).toMatchObject(edited);
      expect(await send('PATCH', path, new URLSearchParams({ content: 'Edited' }))).toMatchObject(edited);
    }
  });

  it('a file alone is a message; its name, size and type are kept, and what was said of it', async () => {
    const { id, token } = await used('file');
    const webhook = `/webhooks/${application.id}/${token}`;
    const path = `/interactions/${id}/${token}/callback?with_response=true`;
    const { status, body } = await send('POST', path, parts({ type: 4 }));
    const [attachment] = body.resource.message.attachments;
    expect({ status, attachment }).toMatchObject({
      ...{ status: 200 },
      attachment: { filename: 'picture.png', size: 7, content_type: 'image/png' },
    });
    expect(new URL(attachment.url).pathname).toContain(`/${attachment.id}/picture.png`);
    const described = parts({ flags: 64, attachments: [{ id: 0, filename: 'other.png', description: 'A picture' }] });
    const followUp = await send('POST', webhook, described);
    const seen = { filename: 'other.png', description: 'A picture', size: 7, ephemeral: true };
    expect(followUp.body.attachments).toMatchObject([seen]);
    expect(followUp.body.attachments[0].id).not.toBe(attachment.id);
  });

  it('files that an edit brings are added, and those it does not list any more are gone', async () => {
    const { id, token } = await used('edited');
    const path = `/webhooks/${application.id}/${token}/messages/@original`;
    await send('POST', `/interactions/${id}/${token}/callback`, parts(hello, 'one'));
    const sizes = async (payload: object, file: string) =>
      (await send('PATCH', path, parts(payload, file))).body.attachments.map(({ size }: { size: number }) => size);
    expect(await sizes({}, 'second')).toEqual([3, 6]);
    const { body } = await callApi(service, 'GET', path);
    const [, second] = (body as { attachments: { id: string }[] }).attachments;
    expect(await sizes({ attachments: [{ id: second?.id }, { id: '0' }] }, 'third')).toEqual([6, 5]);
    const emptied = await callApi(service, 'PATCH', path, { content: '', attachments: [] });
    expect(emptied).toMatchObject({ status: 400, body: { code: 50006 } });
    expect(await callApi(service, 'PATCH', path, { attachments: [] })).toMatchObject({ body: { attachments: [] } });
  });

  it('ten files are taken, and eleven are not; JSON brings none', async () => {
    const { id, token } = await used('many');
    const webhook = `/webhooks/${application.id}/${token}`;
    await send('POST', `/interactions/${id}/${token}/callback`, parts(hello));
    const several = (count: number) => {
      const form = new FormData();
      for (let n = 0; n < count; n++) form.set(`files[${n}]`, new File([], `${n}.txt`));
      return form;
    };
    expect((await send('POST', webhook, several(10))).body.attachments).toHaveLength(10);
    const errors = { attachments: { _errors: [expect.objectContaining({ code: 'BASE_TYPE_MAX_LENGTH' })] } };
    expect(await send('POST', webhook, several(11))).toMatchObject({ status: 400, body: { code: 50035, errors } });
    const files = [{ index: 0, name: 'a.txt', bytes: 1, type: '' }];
    const refused = await callApi(service, 'POST', webhook, { files });
    expect(refused).toMatchObject({ status: 400, body: { code: 50006 } });
  });

  it('callbacks can be URL-encoded, and are rejected as their JSON would be', async () => {
    const { id, token } = await used('encoded');
    const path = `/interactions/${id}/${token}/callback`;
    const refused = await send('POST', path, new URLSearchParams({ type: '4' }));
    expect(refused).toMatchObject({ status: 400, body: { code: 50006 } });
    expect(await send('POST', path, parts({ type: 99 }))).toMatchObject({ status: 400, body: { code: 50035 } });
    const payload_json = JSON.stringify(hello);
    expect(await send('POST', path, new URLSearchParams({ payload_json }))).toMatchObject({ status: 204 });
  });
});
