import { expandScopes, isScope, type Scope, umbrellaScopes } from '../../../../model/oauth.ts';

/** What the parts of an umbrella scope are about, in the order they are told. */
const topicScopes = {
  account: ['identify', 'application_identities.write'],
  friends: ['relationships.read', 'relationships.write'],
  play: ['activities.read', 'activities.write', 'activities.invites.write', 'lobbies.write', 'gateway.connect'],
  messages: ['dm_channels.read', 'dm_channels.messages.read', 'dm_channels.messages.write'],
  servers: ['guilds', 'guilds.channels.read'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type Topic = keyof typeof topicScopes;

/** A scope that was asked for, and for an umbrella what it stands for. */
export interface ScopeItem {
  readonly scope: string;
  readonly parts: readonly { readonly topic: Topic; readonly scopes: readonly Scope[] }[];
}

/** The scopes to be told of one by one: those that are no part of another one asked for. */
export function scopeItems(scopes: readonly string[]): ScopeItem[] {
  const covered = new Set(scopes.flatMap(partsOf));
  return scopes.filter(scope => !covered.has(scope)).map(scope => ({ scope, parts: groupParts(partsOf(scope)) }));
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

/** What people fear most an application might do. */
const feared: readonly Scope[] = ['email', 'dm_channels.messages.read', 'guilds.join'];

/** What an application will not be able to do, of all that people might think of. */
export function withheldScopes(scopes: readonly string[]): readonly Scope[] {
  const granted = expandScopes(scopes);
  return feared.filter(scope => !granted.has(scope));
}
