import type { GuildId } from './snowflake.ts';

/** Scopes an authorization can carry. @see docs/spec/oauth2.md#scopes */
export const scopes = [
  'activities.invites.write',
  'activities.read',
  'activities.write',
  'account.global_name.update',
  'application_identities.write',
  'applications.builds.read',
  'applications.builds.upload',
  'applications.commands',
  'applications.commands.permissions.update',
  'applications.commands.update',
  'applications.entitlements',
  'applications.store.update',
  'bot',
  'connections',
  'dm_channels.messages.read',
  'dm_channels.messages.write',
  'dm_channels.read',
  'email',
  'gateway.connect',
  'gdm.join',
  'guilds',
  'guilds.channels.read',
  'guilds.join',
  'guilds.members.read',
  'identify',
  'identify.premium',
  'lobbies.write',
  'messages.read',
  'openid',
  'payment_sources.country_code',
  'presences.read',
  'presences.write',
  'relationships.read',
  'relationships.write',
  'role_connections.write',
  'rpc',
  'rpc.activities.write',
  'rpc.notifications.read',
  'rpc.screenshare.read',
  'rpc.screenshare.write',
  'rpc.video.read',
  'rpc.video.write',
  'rpc.voice.read',
  'rpc.voice.write',
  'sdk.social_layer',
  'sdk.social_layer_presence',
  'voice',
  'webhook.incoming',
] as const;

export type Scope = (typeof scopes)[number];

const presenceLayer: readonly Scope[] = [
  'activities.invites.write',
  'activities.read',
  'activities.write',
  'application_identities.write',
  'gateway.connect',
  'identify',
  'relationships.read',
  'relationships.write',
];

/** What an umbrella scope stands for. @see docs/spec/oauth2.md#umbrella-scopes */
export const umbrellaScopes: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  'sdk.social_layer_presence': presenceLayer,
  'sdk.social_layer': [
    ...presenceLayer,
    'sdk.social_layer_presence',
    'dm_channels.read',
    'dm_channels.messages.read',
    'dm_channels.messages.write',
    'guilds',
    'guilds.channels.read',
    'lobbies.write',
  ],
};

/** Scopes that only the client-credentials grant gives. @see docs/spec/oauth2.md#tokens */
export const clientCredentialsScopes: ReadonlySet<string> = new Set<Scope>(['applications.commands.update']);

/** Scopes that need a client which keeps a secret, and a code: no public client, no token in a redirect. @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#pkce */
export const confidentialScopes: ReadonlySet<string> = new Set<Scope>(['role_connections.write']);

/** Scopes that put the application into a guild when they are granted. @see docs/spec/oauth2.md#installation */
export const installScopes: ReadonlySet<string> = new Set<Scope>(['applications.commands', 'bot']);

const known: ReadonlySet<string> = /* @__PURE__ */ new Set(scopes);

export function isScope(value: string): value is Scope {
  return known.has(value);
}

/** Splits a `scope` text at blanks; order kept, repeats dropped. */
export function splitScopes(text: string): string[] {
  return [...new Set(text.split(' ').filter(Boolean))];
}

/** Every scope that `granted` opens: itself and what its umbrellas stand for. */
export function expandScopes(granted: readonly string[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const scope of granted) {
    open.add(scope);
    if (isScope(scope)) for (const inner of umbrellaScopes[scope] ?? []) open.add(inner);
  }
  return open;
}

/** What the game asks for to use presence; expands to the scopes that presence needs. */
export const defaultPresenceScopes = 'openid sdk.social_layer_presence';

/** What the game asks for to use lobbies and chat; expands to the scopes that these need. */
export const defaultCommunicationScopes = 'openid sdk.social_layer';

/** Answer of the token endpoint. @see docs/spec/oauth2.md#tokens */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  refresh_token?: string;
  scope: string;
  id_token?: string;
  /** The guild that the bot was added to on the way, as GUILD_UPDATE shows it. */
  guild?: { readonly id: GuildId; readonly name: string };
}

/** The page that asks a user, below the web address. @see docs/spec/oauth2.md#addresses */
export const authorizePagePath = '/oauth2/authorize';

/** Where installing an application without a code ends, below the web address. */
export const authorizedPagePath = '/oauth2/authorized';

/** The page where a user types in the code that a device shows, below the web address. @see docs/spec/oauth2.md#addresses */
export const devicePagePath = '/activate';

/** How a device asks for its tokens. @see docs/spec/oauth2.md#tokens; RFC 8628, section 3.4 */
export const deviceCodeGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** What a user answers to a device. @see docs/spec/oauth2.md#devices */
export const deviceResults = ['granted', 'denied'] as const;

export type DeviceResult = (typeof deviceResults)[number];

/** Before the application id: the scheme of custom-scheme redirects that no other scheme was named for. */
export const customSchemePrefix = 'discord-';

/** Path every custom-scheme redirect ends in: `<scheme>:/authorize/callback`. */
export const customSchemeRedirectPath = '/authorize/callback';

/** Redirect that desktop games register; the port is free at run time. @see docs/spec/oauth2.md#redirects */
export const loopbackRedirect = { host: '127.0.0.1', path: '/callback' } as const;
