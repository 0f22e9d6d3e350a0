import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { roleConnectionLimits } from '../../../../../src/model/limits/role-connection-limits.ts';
import {
  authorizationScope,
  endAuthorization,
} from '../../../../../src/service/features/oauth/authorize/authorization-records.ts';
import { createRoleConnections } from '../../../../../src/service/features/oauth/current-user/role-connections.ts';
import { serviceLimits } from '../../../../../src/service/support/service-limits.ts';
import { type RouteName, routes } from '../../../../../src/wire/routes.ts';
import { tokenRecord } from '../../../../support/store/records.ts';
import { applicationRecord, makeWorld, userRecord } from '../../support.ts';
import {
  ada,
  basic,
  ben,
  game,
  openService,
  secret,
  site,
  siteExchange,
  siteRequest,
  type TestService,
} from '../support.ts';

const scope = 'role_connections.write';
const nothing = { platform_name: null, platform_username: null, metadata: {} };
const said = { platform_name: 'Starfall', platform_username: 'ada#1', metadata: { level: '7', seen: '2003-12-20' } };
const level = { type: 2, key: 'level', name: 'Level', description: 'At least' };

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

/** A user's token of the site, which keeps a secret: no other client gets the scope. */
async function token(scopes = scope, userId: string = ada.id): Promise<string> {
  const granted = await service.code({ ...siteRequest, scope: scopes }, userId);
  return String((await service.exchange(granted, siteExchange)).body.access_token);
}

async function ownToken(scopes = scope): Promise<string> {
  const answer = await service.token({ grant_type: 'client_credentials', scope: scopes }, basic(site.id, secret));
  return String(answer.body.access_token);
}

async function call(
  name: RouteName,
  authorization: string | undefined,
  body?: unknown,
  { id = site.id, query = '' } = {},
) {
  const path = routes[name].path.replace('{application_id}', id) + query;
  const headers = { ...(authorization && { authorization }), 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(service.api + path, { method: routes[name].method, headers, ...sent });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const get = (bearer: string) => call('getRoleConnection', `Bearer ${bearer}`);
const put = (bearer: string, body: unknown) => call('replaceRoleConnection', `Bearer ${bearer}`, body);
const remove = (bearer: string) => call('deleteRoleConnection', `Bearer ${bearer}`);
const bot = `Bot ${site.bot_token}`;
const putMetadata = (body: unknown) => call('replaceRoleConnectionMetadata', bot, body);
const issueAt = (field: string, code: string) => ({
  ...{ status: 400, body: { code: 50035, errors: { metadata: { [field]: { _errors: [{ code }] } } } } },
});

describe('a role connection', () => {
  it('says nothing before anything was said', async () => {
    expect(await get(await token())).toEqual({ status: 200, body: nothing });
  });

  it('is what was said last, and that alone', async () => {
    const bearer = await token();
    expect(await put(bearer, { ...said, metadata: { ...said.metadata, level: 7 } })).toEqual({
      status: 200,
      body: said,
    });
    expect(await get(bearer)).toEqual({ status: 200, body: said });
    const less = { platform_name: 'Starfall II' };
    expect(await put(bearer, less)).toEqual({ status: 200, body: { ...nothing, ...less } });
    expect(await get(bearer)).toEqual({ status: 200, body: { ...nothing, ...less } });
  });

  it('can be taken back, also again', async () => {
    const bearer = await token();
    await put(bearer, said);
    for (let times = 0; times < 2; times++) expect(await remove(bearer)).toEqual({ status: 204, body: undefined });
    expect(await get(bearer)).toEqual({ status: 200, body: nothing });
  });

  it('is the user’s own', async () => {
    await put(await token(), said);
    expect(await get(await token(scope, ben.id))).toEqual({ status: 200, body: nothing });
  });

  it('is the same for every token of the user, and for the application’s own token the owner’s', async () => {
    await put(await token(), said);
    expect(await get(await token(`identify ${scope}`))).toEqual({ status: 200, body: said });
    expect(site.owner_id).toBe(ada.id);
    const own = await ownToken();
    expect(await get(own)).toEqual({ status: 200, body: said });
    expect(await put(own, { platform_name: 'Own' })).toMatchObject({ status: 200 });
    expect(await get(await token())).toMatchObject({ body: { platform_name: 'Own' } });
  });

  it('ends with the authorization that it was said by', async () => {
    const bearer = await token();
    await put(bearer, said);
    await put(await token(scope, ben.id), said);
    expect((await service.revoke({ ...siteExchange, token: bearer })).status).toBe(200);
    expect((await get(bearer)).status).toBe(401);
    expect((await service.content()).role_connections).toMatchObject([{ user_id: ben.id }]);
    expect(await get(await token())).toEqual({ status: 200, body: nothing });
  });

  it('rejects callers without permission', async () => {
    const without = await token('identify');
    for (const name of ['getRoleConnection', 'replaceRoleConnection', 'deleteRoleConnection'] as const) {
      const body = name === 'replaceRoleConnection' ? said : undefined;
      expect(await call(name, undefined, body)).toMatchObject({ status: 401, body: { code: 0 } });
      expect(await call(name, bot, body)).toMatchObject({ status: 403, body: { code: 20001 } });
      expect(await call(name, `Bearer ${without}`, body)).toMatchObject({ status: 403, body: { code: 50026 } });
      const own = await ownToken('identify');
      expect(await call(name, `Bearer ${own}`, body)).toMatchObject({ status: 403, body: { code: 50026 } });
      const foreign = await call(name, `Bearer ${await token()}`, body, { id: game.id });
      expect(foreign).toMatchObject({ status: 403, body: { code: 20012 } });
      const unknown = await call(name, `Bearer ${await token()}`, body, { id: '42' });
      expect(unknown).toMatchObject({ status: 404, body: { code: 10002 } });
      const strange = await call(name, `Bearer ${await token()}`, body, { id: 'x' });
      expect(strange).toMatchObject({ status: 400, body: { code: 50035, errors: { application_id: {} } } });
    }
  });

  it('cannot be had by a game on a player’s machine', async () => {
    const redirect = new URL(await service.decide(service.authorizeUrl({ scope })));
    expect(redirect.searchParams.get('error')).toBe('invalid_scope');
  });

  it('rejects a body with any issue, and keeps the earlier record', async () => {
    const bearer = await token();
    await put(bearer, said);
    expect(
      await put(bearer, { platform_name: 'x'.repeat(roleConnectionLimits.platformNameLengthMax + 1) }),
    ).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { platform_name: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH' }] } } },
    });
    expect(await put(bearer, { metadata: { level: true } })).toMatchObject(issueAt('level', 'STRING_TYPE_CONVERT'));
    expect(await put(bearer, [])).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(await get(bearer)).toEqual({ status: 200, body: said });
  });

  it('may have a key that objects have a meaning for', async () => {
    const bearer = await token();
    const metadata = JSON.parse('{"__proto__":"7","constructor":"8"}') as object;
    const { status, body } = await put(bearer, { metadata });
    expect({ status, text: JSON.stringify(body?.metadata) }).toEqual({ status: 200, text: JSON.stringify(metadata) });
    expect(JSON.stringify((await get(bearer)).body.metadata)).toBe(JSON.stringify(metadata));
    await putMetadata([{ ...level, key: '__proto__' }]);
    expect((await put(bearer, { metadata })).status).toBe(200);
  });

  it('follows the metadata of its application, once there is any', async () => {
    const bearer = await token();
    expect((await put(bearer, { metadata: { level: 'high' } })).status).toBe(200);
    await putMetadata([level]);
    expect(await get(bearer)).toMatchObject({ body: { metadata: { level: 'high' } } });
    expect(await put(bearer, { metadata: { level: 'high' } })).toMatchObject(issueAt('level', 'NUMBER_TYPE_COERCE'));
    expect((await put(bearer, { metadata: { level: '8', rank: 'high' } })).status).toBe(200);
  });
});

describe('a role connection whose authorization ends meanwhile', () => {
  it.each([
    ['an application of its own', null],
    ['the child of a publisher’s', '2'],
  ])('is not kept: the token of %s', async (_, parent_id) => {
    const { core } = await makeWorld();
    const application = applicationRecord('1', { parent_id });
    const user = userRecord(ada.id);
    const authorization = { id: '5', application_id: parent_id ?? '1', user_id: user.id, scopes: [] };
    const token = tokenRecord({ hash: 'h', authorization_id: authorization.id, user_id: user.id });
    await core.store.transact('test', work => work.put('authorizations', authorization));
    const ended = core.store.transact(authorizationScope(authorization), transaction =>
      endAuthorization(transaction, authorization),
    );
    const kept = createRoleConnections(core).replace({ application, user, token, scopes: new Set() }, said);
    await expect(kept).rejects.toMatchObject({ reason: 'unauthorized' });
    await ended;
    expect(await core.store.list('role_connections')).toEqual([]);
  });
});

describe('the metadata of role connections', () => {
  const shown = { ...level, name_localizations: null, description_localizations: null };

  it('are none, then those that were put last', async () => {
    expect(await call('listRoleConnectionMetadata', bot)).toEqual({ status: 200, body: [] });
    const translated = { ...level, key: 'rank', type: 7, name_localizations: { de: 'Rang', fr: null } };
    const both = [shown, { ...translated, name_localizations: { de: 'Rang' }, description_localizations: null }];
    expect(await putMetadata([{ ...level, more: 7 }, translated])).toEqual({ status: 200, body: both });
    expect(await call('listRoleConnectionMetadata', bot)).toEqual({ status: 200, body: both });
    expect(await putMetadata([])).toEqual({ status: 200, body: [] });
    expect(await call('listRoleConnectionMetadata', bot)).toEqual({ status: 200, body: [] });
  });

  it('stay when a document names the application again', async () => {
    await putMetadata([level]);
    await service.addFixtures({ applications: [{ id: site.id, name: 'Site II' }] });
    expect(await call('listRoleConnectionMetadata', bot)).toEqual({ status: 200, body: [shown] });
  });

  it('are put whole or not at all', async () => {
    await putMetadata([level]);
    expect(await putMetadata([level, level])).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { 1: { key: { _errors: [{ code: 'LIST_ITEM_DUPLICATE' }] } } } },
    });
    expect(await putMetadata({})).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(await call('listRoleConnectionMetadata', bot)).toEqual({ status: 200, body: [shown] });
  });

  it('are the application’s own, for its bot', async () => {
    await putMetadata([level]);
    const others = `Bot ${game.bot_token}`;
    for (const [name, body] of [
      ['listRoleConnectionMetadata', undefined],
      ['replaceRoleConnectionMetadata', []],
    ] as const) {
      expect(await call(name, others, body)).toMatchObject({ status: 403, body: { code: 20012 } });
      expect(await call(name, undefined, body)).toMatchObject({ status: 401, body: { code: 0 } });
      expect(await call(name, `Bearer ${await token()}`, body)).toMatchObject({ status: 403, body: { code: 20002 } });
    }
    expect(await call('listRoleConnectionMetadata', others, undefined, { id: game.id })).toEqual({
      status: 200,
      body: [],
    });
  });
});

describe('entitlements', () => {
  const list = async (query = '', more: { id?: string } = {}) =>
    call('listOwnEntitlements', `Bearer ${await token('identify')}`, undefined, { query, ...more });

  it.each(['', '?sku_ids=1', '?sku_ids=1&sku_ids=2', '?sku_ids=1,2,3', '?exclude_consumed=True'])(
    'are none%s, as nothing is sold here',
    async query => {
      expect(await list(query)).toEqual({ status: 200, body: [] });
    },
  );

  it('are asked of up to 100 products', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1).join(',');
    expect((await list(`?sku_ids=${ids(serviceLimits.skuIdsMax)}`)).status).toBe(200);
    expect(await list(`?sku_ids=${ids(serviceLimits.skuIdsMax + 1)}`)).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { sku_ids: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH' }] } } },
    });
  });

  it.each(['x', '', '1,', '1&sku_ids=x', '9223372036854775808'])('are not asked of the product %j', async ids => {
    expect(await list(`?sku_ids=${ids}`)).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { sku_ids: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] } } },
    });
  });

  it.each(['yes', '', '2', 'true&exclude_consumed=true'])('are not asked to exclude %j', async word => {
    expect(await list(`?exclude_consumed=${word}`)).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { exclude_consumed: { _errors: [{ code: 'BOOLEAN_TYPE_CONVERT' }] } } },
    });
  });

  it('are those of the token’s application, by a token of any scope but no bot’s', async () => {
    expect(await list('', { id: game.id })).toMatchObject({ status: 403, body: { code: 20012 } });
    expect(await list('', { id: '42' })).toMatchObject({ status: 404, body: { code: 10002 } });
    expect(await call('listOwnEntitlements', bot)).toMatchObject({ status: 403, body: { code: 20001 } });
    expect(await call('listOwnEntitlements', undefined)).toMatchObject({ status: 401, body: { code: 0 } });
    expect(await call('listOwnEntitlements', `Bearer ${await ownToken('identify')}`)).toEqual({
      status: 200,
      body: [],
    });
  });
});
