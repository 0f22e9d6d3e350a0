import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFixtures } from '../../../src/service/control/check-fixtures.ts';
import { serviceLimits } from '../../../src/service/service-limits.ts';

/** `path code` of every issue. */
function faults(value: unknown): string[] {
  return checkFixtures(value).map(({ path, code }) => `${path.join('.')} ${code}`);
}

const application = (fields: object) => ({ applications: [fields] });
const guild = (fields: object) => ({ guilds: [fields] });

describe('the shape of a fixtures document', () => {
  it('may be empty, and every part of it too', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ applications: [{}], users: [{}], guilds: [{ roles: [{}], channels: [{}] }] })).toEqual([]);
  });

  it.each([undefined, null, [], 'x', 1, true])('must be an object, not %j', value => {
    expect(faults(value)).toEqual([' wrong_type']);
  });

  it('names every fault by its path, unknown keys too', () => {
    const document = {
      aplications: [],
      applications: [{ id: 1, redirectUris: [] }],
      users: [{ locale: 'xx', adult: 'yes' }, null],
      guilds: [{ members: [{}], roles: {}, channels: [{ type: 99, permission_overwrites: [{ id: '5' }] }] }],
    };
    expect(faults(document)).toEqual([
      'aplications unknown_key',
      'applications.0.id unreadable',
      'applications.0.redirectUris unknown_key',
      'users.0.locale unreadable',
      'users.0.adult wrong_type',
      'users.1 wrong_type',
      'guilds.0.members.0.user_id required',
      'guilds.0.roles wrong_type',
      'guilds.0.channels.0.type not_a_choice',
      'guilds.0.channels.0.permission_overwrites.0.type required',
    ]);
  });

  it('takes a key named __proto__ for an unknown one', () => {
    expect(faults(JSON.parse('{"__proto__": {}, "constructor": {}}'))).toEqual([
      '__proto__ unknown_key',
      'constructor unknown_key',
    ]);
  });

  it.each(['0', '-1', '01', '1.0', '', ' 1', '9223372036854775808', 'abc'])('refuses %j as an id', id => {
    expect(faults(application({ id }))).toEqual(['applications.0.id unreadable']);
  });

  it('takes ids from 1 to 2^63 - 1', () => {
    expect(faults({ users: [{ id: '1' }, { id: '9223372036854775807' }] })).toEqual([]);
  });

  it('takes names of 1 to 100 characters, counted by code point', () => {
    expect(faults(application({ name: '' }))).toEqual(['applications.0.name bad_length']);
    expect(faults(application({ name: '😀'.repeat(100) }))).toEqual([]);
    expect(faults(application({ name: '😀'.repeat(101) }))).toEqual(['applications.0.name bad_length']);
    expect(faults(application({ name: 'x'.repeat(201) }))).toEqual(['applications.0.name bad_length']);
  });

  it('takes secrets that fit a header: 1 to 1024 ASCII characters without blanks', () => {
    for (const bot_token of ['t', 'x'.repeat(1024), null]) expect(faults(application({ bot_token }))).toEqual([]);
    for (const bot_token of ['', 'a b', 'ä', 'a\n', 'x'.repeat(1025), 7]) {
      expect(faults(application({ bot_token }))).toEqual(['applications.0.bot_token unreadable']);
    }
  });

  it('takes redirects to web addresses and programs', () => {
    const redirect_uris = ['http://127.0.0.1/callback', 'https://game.example/x?y=1', 'discord-1:/authorize/callback'];
    expect(faults(application({ redirect_uris }))).toEqual([]);
  });

  it.each([
    '/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'JaVaScRiPt:x',
    'https://a.example/#f',
    'https://a b/',
  ])('refuses the redirect %j', uri => {
    expect(faults(application({ redirect_uris: [uri] }))).toEqual(['applications.0.redirect_uris.0 unreadable']);
  });

  it('takes 10 redirects and refuses 11', () => {
    const redirects = (count: number) => Array.from({ length: count }, (_, at) => `http://127.0.0.1/${at}`);
    expect(faults(application({ redirect_uris: redirects(serviceLimits.redirectUrisMax) }))).toEqual([]);
    expect(faults(application({ redirect_uris: redirects(serviceLimits.redirectUrisMax + 1) }))).toHaveLength(1);
  });

  it.each([null, { scopes: [], permissions: '0' }, { scopes: ['bot', 'applications.commands'], permissions: '8' }])(
    'takes the install settings %j',
    install_params => {
      expect(faults(application({ install_params, bot_require_code_grant: true }))).toEqual([]);
    },
  );

  it.each([
    [{ scopes: ['identify'], permissions: '0' }, 'scopes.0'],
    [{ scopes: ['bot'] }, 'permissions'],
    [{ scopes: ['bot'], permissions: 8 }, 'permissions'],
    [{ permissions: '8' }, 'scopes'],
  ])('refuses the install settings %j', (install_params, at) => {
    const [fault] = faults(application({ install_params }));
    expect(fault).toMatch(new RegExp(`^applications.0.install_params.${at} `));
  });

  it.each(['interactions_endpoint_url', 'event_webhooks_url'])('takes a web address or null as %s', name => {
    for (const url of [null, 'http://127.0.0.1:8080/x', 'https://game.example/']) {
      expect(faults(application({ [name]: url }))).toEqual([]);
    }
    for (const url of ['', '/x', 'ftp://a.example/', 'http://a b/', 7, `https://a.example/${'x'.repeat(2048)}`]) {
      expect(faults(application({ [name]: url }))).toEqual([`applications.0.${name} unreadable`]);
    }
  });

  it('wants at least one installation type, none twice', () => {
    expect(faults(application({ integration_types: [0, 1] }))).toEqual([]);
    expect(faults(application({ integration_types: [] }))).toEqual(['applications.0.integration_types.0 required']);
    expect(faults(application({ integration_types: [1, 1] }))).toEqual(['applications.0.integration_types duplicate']);
    expect(faults(application({ integration_types: [2] }))).toEqual([
      'applications.0.integration_types.0 not_a_choice',
    ]);
  });

  it('takes permission bits as decimal text up to 2^54 - 1', () => {
    const role = (permissions: unknown) => guild({ roles: [{ permissions }] });
    for (const bits of ['0', '8', (2n ** 54n - 1n).toString()]) expect(faults(role(bits))).toEqual([]);
    for (const bits of ['', '-1', '0x8', '08', 8, (2n ** 54n).toString(), '9'.repeat(4000)]) {
      expect(faults(role(bits))).toEqual(['guilds.0.roles.0.permissions unreadable']);
    }
  });

  it('refuses 251 roles in a guild and takes 250', () => {
    const roles = Array.from({ length: 251 }, () => ({}));
    expect(faults(guild({ roles }))).toEqual(['guilds.0.roles too_many']);
    expect(faults(guild({ roles: roles.slice(1) }))).toEqual([]);
  });
});

describe('ids and bot tokens of a fixtures document', () => {
  it('belong to one thing of a kind each', () => {
    const document = {
      applications: [
        { id: '1', bot_token: 't' },
        { id: '1', bot_token: 't' },
      ],
      users: [{ id: '2' }, { id: '2' }],
      guilds: [
        { id: '3', roles: [{ id: '4' }], channels: [{ id: '5' }], members: [{ user_id: '2' }, { user_id: '2' }] },
        { id: '3', roles: [{ id: '4' }], channels: [{ id: '5' }] },
      ],
    };
    expect(faults(document)).toEqual([
      'applications.1.id duplicate',
      'applications.1.bot_token duplicate',
      'users.1.id duplicate',
      'guilds.0.members.1.user_id duplicate',
      'guilds.1.id duplicate',
      'guilds.1.roles.0.id duplicate',
      'guilds.1.channels.0.id duplicate',
    ]);
  });

  it('may not be shared by an application and a user, because its bot is a user', () => {
    expect(faults({ applications: [{ id: '7' }], users: [{ id: '7' }] })).toEqual(['users.0.id duplicate']);
  });

  it('may be shared by things of different kinds', () => {
    const all = { id: '5', roles: [{ id: '5' }], channels: [{ id: '5' }] };
    expect(faults({ users: [{ id: '5' }], guilds: [all] })).toEqual([]);
  });
});

describe('the identity providers of an application', () => {
  const issuer = 'https://id.example';
  const token = { type: 'OIDC', issuer, audience: 'game' };
  const ticket = { type: 'STEAM_SESSION_TICKET', verification_url: 'https://game.example/tickets' };
  const found = (...identity_providers: unknown[]) => faults(application({ identity_providers }));
  const at = (rest: string) => [`applications.0.identity_providers.${rest}`];

  it('are those that sign ID tokens and those that are asked about tickets, one of each type', () => {
    const others = ['EPIC_ONLINE_SERVICES_ID_TOKEN', 'UNITY_SERVICES_ID_TOKEN', 'APPLE_ID_TOKEN'];
    const all = [...others, 'PLAYSTATION_NETWORK_ID_TOKEN'].map(type => ({ ...token, type, jwks_uri: null }));
    expect(found(token, ...all, ticket, { ...ticket, type: 'EPIC_ONLINE_SERVICES_ACCESS_TOKEN' })).toEqual([]);
    expect(found(token, token)).toEqual(['applications.0.identity_providers duplicate']);
  });

  it.each([
    ['https://id.example/path', true],
    ['http://127.0.0.1:8080', true],
    ['http://localhost', true],
    ['http://[::1]:8080', true],
    ['http://id.example', false],
    ['http://127.0.0.1.example', false],
    ['https://user@id.example', false],
    ['https://id.example/#x', false],
    ['ftp://id.example', false],
    ['id.example', false],
    [7, false],
  ])('are reached by https or on this machine: %j', (address, fits) => {
    expect(found({ ...token, issuer: address })).toEqual(fits ? [] : at('0.issuer unreadable'));
    expect(found({ ...token, jwks_uri: address })).toEqual(fits ? [] : at('0.jwks_uri unreadable'));
    expect(found({ ...ticket, verification_url: address })).toEqual(fits ? [] : at('0.verification_url unreadable'));
  });

  it('are named with all that they need, and nothing else', () => {
    expect(found({ type: 'OIDC' })).toEqual([...at('0.issuer required'), ...at('0.audience required')]);
    expect(found({ type: ticket.type, issuer })).toEqual([
      ...at('0.verification_url required'),
      ...at('0.issuer unknown_key'),
    ]);
    expect(found({ ...token, type: 'DISCORD_BOT_ISSUED_ACCESS_TOKEN' })).toEqual(at('0.type not_a_choice'));
    expect(found({}, null)).toEqual([
      ...at('0.type not_a_choice'),
      ...at('1.type not_a_choice'),
      'applications.0.identity_providers duplicate',
    ]);
    expect(faults(application({ identity_providers: {} }))).toEqual(['applications.0.identity_providers wrong_type']);
  });
});

describe('any document', () => {
  it('is judged without throwing, each issue with a path and words', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), value => {
        for (const { path, message } of checkFixtures(value)) {
          expect(path).toBeInstanceOf(Array);
          expect(message).not.toBe('');
        }
      }),
    );
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom('applications', 'users', 'guilds'), (value, part) => {
        checkFixtures({ [part]: [value] });
        checkFixtures({ guilds: [{ members: [value], channels: [value], roles: value }] });
      }),
    );
  });
});
