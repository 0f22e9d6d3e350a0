import { expandScopes, isScope, type Scope, umbrellaScopes } from '../../../../../model/oauth.ts';

/**
 * The scopes that let an application do something at this service. Others are granted too, and the page says that they
 * have no effect: to ask a user for something that does not exist here would mislead.
 */
export const effectiveScopes = [
  'account.global_name.update',
  'activities.invites.write',
  'activities.read',
  'activities.write',
  'application_identities.write',
  'applications.commands',
  'applications.commands.permissions.update',
  'bot',
  'dm_channels.messages.read',
  'dm_channels.messages.write',
  'dm_channels.read',
  'email',
  'gateway.connect',
  'guilds',
  'guilds.channels.read',
  'guilds.members.read',
  'identify',
  'lobbies.write',
  'openid',
  'presences.read',
  'presences.write',
  'relationships.read',
  'relationships.write',
  'role_connections.write',
  'sdk.social_layer',
  'sdk.social_layer_presence',
  'voice',
] as const satisfies readonly Scope[];

export type EffectiveScope = (typeof effectiveScopes)[number];

const effective: ReadonlySet<string> = new Set(effectiveScopes);

function isEffective(scope: string): scope is EffectiveScope {
  return effective.has(scope);
}

/** What the parts of an umbrella scope are about, in the order in which the page lists them. */
const topicScopes = {
  account: ['identify', 'application_identities.write'],
  play: ['lobbies.write', 'gateway.connect'],
  friends: [
    'relationships.read',
    'relationships.write',
    'activities.read',
    'activities.write',
    'activities.invites.write',
  ],
  messages: ['dm_channels.read', 'dm_channels.messages.read', 'dm_channels.messages.write'],
  servers: ['guilds', 'guilds.channels.read'],
} as const satisfies Readonly<Record<string, readonly EffectiveScope[]>>;

export type Topic = keyof typeof topicScopes;

/** A scope that an application requests and, for an umbrella scope, its parts. */
export interface ScopeItem {
  readonly scope: EffectiveScope;
  readonly parts: readonly { readonly topic: Topic; readonly scopes: readonly EffectiveScope[] }[];
}

/** Requested scopes, split into those that the page explains and those that have no effect. */
export interface ScopeSummary {
  readonly items: readonly ScopeItem[];
  readonly withoutEffect: readonly string[];
}

/** Summarizes requested scopes; one that is part of a requested umbrella scope is left to the umbrella. */
export function summarizeScopes(scopes: readonly string[]): ScopeSummary {
  const covered = new Set(scopes.flatMap(partsOf));
  const listed = scopes.filter(scope => !covered.has(scope));
  return {
    items: listed.filter(isEffective).map(scope => ({ scope, parts: groupParts(partsOf(scope)) })),
    withoutEffect: listed.filter(scope => !isEffective(scope)),
  };
}

function partsOf(scope: string): readonly string[] {
  return (isScope(scope) && umbrellaScopes[scope]) || [];
}

function groupParts(parts: readonly string[]): ScopeItem['parts'] {
  return Object.entries(topicScopes).flatMap(([topic, scopes]) => {
    const inside = scopes.filter(scope => parts.includes(scope));
    return inside.length === 0 ? [] : [{ topic: topic as Topic, scopes: inside }];
  });
}

/** What users may fear that an application could do. */
const sensitive: readonly EffectiveScope[] = ['email'];

/** Those sensitive scopes that the application does not get. */
export function withheldScopes(scopes: readonly string[]): readonly EffectiveScope[] {
  const granted = expandScopes(scopes);
  return sensitive.filter(scope => !granted.has(scope));
}
