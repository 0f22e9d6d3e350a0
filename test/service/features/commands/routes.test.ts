import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import type { Service } from '../../../../src/service/service.ts';
import { call, rival, starfall, startTestService } from '../requests.ts';

const commands = `/applications/${starfall.id}/commands`;
const roll = { name: 'roll', description: 'Roll the dice', name_localizations: { de: 'wurf', fr: 'lancer' } };

let service: Service;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('the command routes', () => {
  it('list the entry point that came with the Activity', async () => {
    const { status, body } = await call(service, 'GET', commands);
    expect(status).toBe(200);
    expect(body).toMatchObject([{ name: 'Launch', type: 4, handler: 2 }]);
  });

  it('create with 201 and overwrite with 200, get, edit and delete', async () => {
    const creation = await call(service, 'POST', commands, { body: roll });
    const { id } = creation.body as Command;
    expect(creation.status).toBe(201);
    expect((await call(service, 'POST', commands, { body: roll })).status).toBe(200);

    const path = `${commands}/${id}`;
    expect((await call(service, 'GET', path)).body).toMatchObject({ id, name: 'roll' });
    const edit = await call(service, 'PATCH', path, { body: { nsfw: true } });
    expect([edit.status, (edit.body as Command).nsfw]).toEqual([200, true]);

    const deletion = await call(service, 'DELETE', path);
    expect([deletion.status, deletion.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) {
      const gone = await call(service, method, path);
      expect([gone.status, gone.body]).toEqual([404, { message: 'Unknown application command', code: 10063 }]);
    }
  });

  it('replace all with 200, and reject a body without the entry point', async () => {
    const [launch] = (await call(service, 'GET', commands)).body as Command[];
    const replacement = await call(service, 'PUT', commands, { body: [launch, roll] });
    expect(replacement.status).toBe(200);
    expect((replacement.body as Command[]).map(({ name }) => name)).toEqual(['Launch', 'roll']);
    const refused = await call(service, 'PUT', commands, { body: [] });
    expect([refused.status, (refused.body as { code: number }).code]).toEqual([400, 50240]);
  });

  it.each([
    ['another application', rival.id, 403, 20012],
    ['no application', '12345', 404, 10002],
  ])('of %s are rejected', async (_, id, status, code) => {
    for (const [method, body] of [['GET'], ['POST', roll], ['PUT', []]] as const) {
      const answer = await call(service, method, `/applications/${id}/commands`, { body });
      expect([answer.status, (answer.body as { code: number }).code]).toEqual([status, code]);
    }
  });

  it('are open to a client-credentials token with the scope for them, and to no other', async () => {
    const client = { id: '3', client_secret: 'secret' };
    const fixtures = { applications: [{ ...client, name: 'Client', owner_id: '101' }] };
    const control = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
    const posted = await fetch(`${service.controlBase}/fixtures`, {
      method: 'POST',
      headers: control,
      body: JSON.stringify(fixtures),
    });
    expect(posted.ok).toBe(true);
    const listAs = async (scope: string) => {
      const token = await fetch(`${service.apiBase}/v10/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.id}:${client.client_secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      });
      const { access_token } = (await token.json()) as { access_token: string };
      const headers = { authorization: `Bearer ${access_token}` };
      return (await call(service, 'GET', `/applications/${client.id}/commands`, { headers })).status;
    };
    expect(await listAs('applications.commands.update')).toBe(200);
    expect(await listAs('identify')).toBe(403);
  });

  it.each([
    ['?with_localizations=true', {}, { name_localizations: roll.name_localizations }],
    ['?with_localizations=1', {}, { name_localizations: roll.name_localizations }],
    ['?with_localizations=0', { 'x-discord-locale': 'de' }, { name_localized: 'wurf' }],
    ['', { 'x-discord-locale': 'de', 'accept-language': 'fr' }, { name_localized: 'wurf' }],
    ['', { 'x-service-locale': 'fr', 'x-discord-locale': 'de' }, { name_localized: 'lancer' }],
    ['', { 'accept-language': 'tlh, fr-CA;q=0.9' }, { name_localized: 'lancer' }],
  ])('list with the translations asked for: "%s" %j', async (query, headers, expected) => {
    await call(service, 'POST', commands, { body: roll });
    const { body } = await call(service, 'GET', commands + query, { headers });
    const command = (body as Command[]).find(({ name }) => name === 'roll');
    const { name_localizations, name_localized } = command ?? {};
    expect({ ...(name_localizations && { name_localizations }), ...(name_localized && { name_localized }) }).toEqual(
      expected,
    );
  });

  it.each(['yes', '', 'true&with_localizations=false'])('reject with_localizations=%s', async value => {
    const { status, body } = await call(service, 'GET', `${commands}?with_localizations=${value}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 50035, errors: { with_localizations: { _errors: [{}] } } });
  });

  it('nest the faults of a body where they are', async () => {
    const options = [{ type: 3, name: 'Bad', description: 'x' }];
    const { status, body } = await call(service, 'PUT', commands, { body: [{ ...roll, options }] });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 50035,
      errors: { 0: { options: { 0: { name: { _errors: [{ code: 'APPLICATION_COMMAND_INVALID_NAME' }] } } } } },
    });
  });
});

describe('the 201st command of a day', () => {
  it('is answered 429 with code 30034, the time to wait and a shared scope', async () => {
    const limited = await startTestService('standard');
    const path = `/applications/${rival.id}/commands`;
    const put = (body: unknown) => call(limited, 'PUT', path, { body, as: rival });
    const many = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({ name: `n${from + index}`, description: 'x' }));
    await put(many(0));
    expect((await put(many(100))).status).toBe(200);
    const { status, body, headers } = await put(many(101));
    expect(status).toBe(429);
    expect(body).toEqual({
      message: 'Max number of daily application command creates has been reached (200)',
      code: 30034,
      retry_after: 432,
      global: false,
    });
    expect(headers.get('retry-after')).toBe('432');
    expect(headers.get('x-ratelimit-scope')).toBe('shared');
    await limited.close();
  });
});

describe('when the application changes after its commands', () => {
  const path = `/applications/${starfall.id}/commands`;
  const change = (fields: object) =>
    fetch(`${service.controlBase}/fixtures`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ applications: [{ id: starfall.id, ...fields }] }),
    });
  const named = async (name: string) =>
    ((await call(service, 'GET', path)).body as Command[]).find(command => command.name === name);
  afterEach(() => change({ embedded: true, discoverable: false, integration_types: [0, 1] }));

  it('an age-restricted command of one that is listed now stays, and is not written again but unrestricted', async () => {
    const { body } = await call(service, 'POST', path, { body: { ...roll, name: 'dice', nsfw: true } });
    const { id } = body as Command;
    await change({ discoverable: true });
    const refused = {
      status: 400,
      body: { errors: { nsfw: { _errors: [{ code: 'APPLICATION_COMMAND_NSFW_INVALID' }] } } },
    };
    expect(await call(service, 'PATCH', `${path}/${id}`, { body: { description: 'x' } })).toMatchObject(refused);
    expect(await call(service, 'POST', path, { body: { ...roll, name: 'dice', nsfw: true } })).toMatchObject(refused);
    const list = await call(service, 'PUT', path, { body: [body, { ...roll, name: 'other' }] });
    expect(list).toMatchObject({ status: 400, body: { errors: { 0: { nsfw: {} } } } });
    expect(await named('dice')).toMatchObject({ nsfw: true });
    expect(await call(service, 'PATCH', `${path}/${id}`, { body: { nsfw: false } })).toMatchObject({ status: 200 });
    expect(await call(service, 'PATCH', `${path}/${id}`, { body: { description: 'x' } })).toMatchObject({
      status: 200,
    });
  });

  it('the entry point of one without an Activity by now is not written again, and can be deleted', async () => {
    const launch = await named('Launch');
    await change({ embedded: false });
    const at = `${path}/${launch?.id}`;
    expect(await call(service, 'PATCH', at, { body: { handler: 1 } })).toMatchObject({
      status: 400,
      body: { code: 50035 },
    });
    expect((await call(service, 'DELETE', at)).status).toBe(204);
    await change({ embedded: true });
    expect(await named('Launch')).toMatchObject({ type: 4, handler: 2 });
  });

  it('a command keeps where it was installable, and a new one goes by what holds now', async () => {
    await change({ integration_types: [1] });
    await call(service, 'POST', path, { body: { ...roll, name: 'later' } });
    await change({ integration_types: [0] });
    expect(await named('later')).toMatchObject({ integration_types: [1] });
    expect(await call(service, 'POST', path, { body: { ...roll, name: 'latest' } })).toMatchObject({
      body: { integration_types: [0] },
    });
  });
});

describe('deprecated fields', () => {
  const path = `/applications/${starfall.id}/commands`;
  const write = async (fields: object) =>
    (await call(service, 'POST', path, { body: { ...roll, name: 'old', ...fields } })).body as Command;

  it.each([
    [{}, { dm_permission: true, contexts: null, default_member_permissions: null }],
    [{ dm_permission: false }, { dm_permission: false, contexts: null }],
    [
      { dm_permission: false, contexts: [0, 1, 2] },
      { dm_permission: true, contexts: [0, 1, 2] },
    ],
    [
      { dm_permission: true, contexts: [0, 2] },
      { dm_permission: false, contexts: [0, 2] },
    ],
    [{ default_permission: false }, { default_member_permissions: '0' }],
    [{ default_permission: true }, { default_member_permissions: null }],
    [{ default_permission: false, default_member_permissions: '8' }, { default_member_permissions: '8' }],
    [{ default_permission: false, default_member_permissions: null }, { default_member_permissions: null }],
  ])('are read as what took their place: %j', async (fields, expected) => {
    const command = await write(fields);
    expect(command).toMatchObject(expected);
    expect(command).not.toHaveProperty('default_permission');
  });

  it.each(['dm_permission', 'default_permission'])('must be true, false or null: %s', async field => {
    expect(await write({ [field]: 'false' })).toMatchObject({ code: 50035, errors: { [field]: {} } });
    expect(await write({ [field]: null })).toMatchObject({ dm_permission: true, default_member_permissions: null });
  });
});
