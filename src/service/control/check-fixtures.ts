import { integrationTypes, optionChannelTypes } from '../../model/command.ts';
import { allPermissions } from '../../model/guild.ts';
import type { Issue } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import { isLocale, locales } from '../../model/locale.ts';
import { installScopes } from '../../model/oauth.ts';
import { idTokenAuthTypes, ticketAuthTypes } from '../../model/provisional.ts';
import { isProviderAddress } from '../oauth/provider-address.ts';
import { serviceLimits } from '../service-limits.ts';
import {
  type Check,
  check,
  flag,
  id,
  isPlainObject,
  issue,
  list,
  nullable,
  object,
  oneOf,
  text,
  textThat,
  whole,
} from './check.ts';
import type { Fixtures } from './fixtures-document.ts';

// Our choice: bounds of what the interface leaves open, wide enough for a large test, narrow enough to stay in memory.
const applicationsMax = 10_000;
const usersMax = 1_000_000;
const guildsMax = 10_000;
const membersMax = 1_000_000;
const rolesMax = 250;
const channelsMax = 500;
const overwritesMax = 1000;
const positionMax = 2 ** 31 - 1;
const nameLengthMax = 100;
const secretLengthMax = 1024;
const addressLengthMax = 2048;

const name = text(1, nameLengthMax);
const position = whole(0, positionMax);
const locale = textThat(isLocale, `a locale: ${locales.join(', ')}`);
const secret = nullable(
  textThat(
    value => value.length <= secretLengthMax && /^[\x21-\x7e]+$/.test(value),
    `1 to ${secretLengthMax} ASCII characters without blanks`,
  ),
);
const password = nullable(text(serviceLimits.passwordLengthMin, serviceLimits.passwordLengthMax));
const permissions = textThat(
  value => /^(0|[1-9][0-9]{0,18})$/.test(value) && BigInt(value) <= allPermissions,
  `permission bits as decimal text, from "0" to "${allPermissions}"`,
);

// A browser must not be sent to these: they run or show what stands in the address itself.
const dangerousSchemes: ReadonlySet<string> = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
]);

const redirect = textThat(value => {
  if (value.length > addressLengthMax || /[\s#]/.test(value) || !URL.canParse(value)) return false;
  return !dangerousSchemes.has(new URL(value).protocol);
}, `an absolute address of at most ${addressLengthMax} characters, without blanks or fragment`);

const webAddress = textThat(
  value => value.length <= addressLengthMax && /^https?:\/\//.test(value) && URL.canParse(value),
  'an address that begins with http:// or https://',
);

const installParams = object({ scopes: list(oneOf([...installScopes]), installScopes.size), permissions }, [
  'scopes',
  'permissions',
]);

const providerAddress = textThat(
  value => value.length <= addressLengthMax && isProviderAddress(value),
  'an address that begins with https://, or http:// on this machine',
);

const idTokenProvider = object(
  {
    type: oneOf(idTokenAuthTypes),
    issuer: providerAddress,
    audience: text(1, addressLengthMax),
    jwks_uri: nullable(providerAddress),
  },
  ['type', 'issuer', 'audience'],
);
const ticketProvider = object({ type: oneOf(ticketAuthTypes), verification_url: providerAddress }, [
  'type',
  'verification_url',
]);
const providerTypes: ReadonlyMap<unknown, Check> = new Map<string, Check>([
  ...idTokenAuthTypes.map(type => [type, idTokenProvider] as const),
  ...ticketAuthTypes.map(type => [type, ticketProvider] as const),
]);

const application = object({
  id,
  name,
  description: text(0, limits.applicationDescriptionLengthMax),
  owner_id: id,
  bot_token: secret,
  client_secret: secret,
  public_client: flag,
  redirect_uris: list(redirect, serviceLimits.redirectUrisMax),
  bot_require_code_grant: flag,
  install_params: nullable(installParams),
  embedded: flag,
  discoverable: flag,
  integration_types: integrationTypeSet(),
  interactions_endpoint_url: nullable(webAddress),
  event_webhooks_url: nullable(webAddress),
  parent_id: nullable(id),
  provisional_accounts: flag,
  identity_providers: identityProviders(),
});

const user = object({ id, username: name, global_name: nullable(name), locale, adult: flag, banned: flag, password });

const overwrite = object({ id, type: oneOf([0, 1]), allow: permissions, deny: permissions }, ['id', 'type']);

const channel = object({
  id,
  type: oneOf(optionChannelTypes),
  name,
  nsfw: flag,
  position,
  parent_id: nullable(id),
  permission_overwrites: list(overwrite, overwritesMax),
});

const guild = object({
  id,
  name,
  owner_id: id,
  locale,
  applications: list(id, applicationsMax),
  roles: list(object({ id, name, permissions, position }), rolesMax),
  channels: list(channel, channelsMax),
  members: list(object({ user_id: id, roles: list(id, rolesMax), nick: nullable(name) }, ['user_id']), membersMax),
});

const document = object({
  applications: list(application, applicationsMax),
  users: list(user, usersMax),
  guilds: list(guild, guildsMax),
});

/**
 * Every fault of a fixtures document that can be seen without a service: unknown keys, wrong values, an id or bot token
 * used twice.
 *
 * @param value anything, for example what `JSON.parse` gave
 */
export function checkFixtures(value: unknown): Issue[] {
  const issues = check(value, document);
  return issues.length > 0 ? issues : checkUnique(value as Fixtures);
}

function identityProviders(): Check {
  const each = list((value, path, issues) => {
    const type = isPlainObject(value) ? value.type : undefined;
    const by = providerTypes.get(type);
    if (by) by(value, path, issues);
    else issues.push(issue('not_a_choice', [...path, 'type'], [...providerTypes.keys()]));
  }, providerTypes.size);
  return (value, path, issues) => {
    each(value, path, issues);
    if (!Array.isArray(value)) return;
    const types = value.map(provider => (isPlainObject(provider) ? provider.type : undefined));
    if (new Set(types).size < types.length) issues.push(issue('duplicate', path, 'a type'));
  };
}

function integrationTypeSet(): Check {
  const all = Object.values(integrationTypes);
  const each = list(oneOf(all), all.length);
  return (value, path, issues) => {
    each(value, path, issues);
    if (!Array.isArray(value)) return;
    if (value.length === 0) issues.push(issue('required', [...path, '0']));
    if (new Set(value).size < value.length) issues.push(issue('duplicate', path, 'an installation type'));
  };
}

function checkUnique({ applications = [], users = [], guilds = [] }: Fixtures): Issue[] {
  const issues: Issue[] = [];
  // A bot is a user with its application's id, so these two share their ids.
  const accounts = unique(issues);
  const tokens = unique(issues);
  const guildIds = unique(issues);
  const roleIds = unique(issues);
  const channelIds = unique(issues);
  applications.forEach((application, index) => {
    const path = ['applications', String(index)];
    accounts(application.id, [...path, 'id']);
    tokens(application.bot_token, [...path, 'bot_token'], 'the token');
  });
  users.forEach((user, index) => void accounts(user.id, ['users', String(index), 'id']));
  guilds.forEach((guild, index) => {
    const path = ['guilds', String(index)];
    const memberIds = unique(issues);
    guildIds(guild.id, [...path, 'id']);
    guild.roles?.forEach((role, at) => void roleIds(role.id, [...path, 'roles', String(at), 'id']));
    guild.channels?.forEach((channel, at) => void channelIds(channel.id, [...path, 'channels', String(at), 'id']));
    guild.members?.forEach((member, at) => void memberIds(member.user_id, [...path, 'members', String(at), 'user_id']));
  });
  return issues;
}

/** Remembers values and reports one that comes again; what is absent or null is passed over. */
function unique(issues: Issue[]) {
  const seen = new Set<string>();
  return (value: string | null | undefined, path: readonly string[], what = `id ${value}`) => {
    if (value === null || value === undefined) return;
    if (seen.has(value)) issues.push(issue('duplicate', path, what));
    seen.add(value);
  };
}
