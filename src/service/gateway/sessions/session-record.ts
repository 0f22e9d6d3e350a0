import { expandScopes } from '../../../model/oauth.ts';
import { type Topic, topics } from '../../events/announcement.ts';
import { botUserId } from '../../features/guilds/view.ts';
import type { StoreView } from '../../store/contract.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import type { Identity, SessionPrincipal } from '../identify.ts';
import type { Player } from '../presence/connected-users.ts';
import { credentialOf } from './credential-watch.ts';

/** The data of a session that never changes, and what follows from it. */

/** A session that has not begun yet. */
export function newRecord(id: string, principal: SessionPrincipal, identity: Identity): GatewaySessionRecord {
  const { kind } = principal;
  return {
    id,
    node: null,
    claim: 0,
    kind,
    application_id: kind === 'session' ? null : principal.application.id,
    family_id: kind === 'session' ? null : (principal.application.parent_id ?? principal.application.id),
    user_id: kind === 'bot' ? botUserId(principal.application) : principal.user.id,
    credential: credentialOf(principal),
    intents: kind === 'session' ? null : (identity.intents ?? 0),
    shard: kind === 'bot' ? identity.shard : null,
    ...(kind === 'user' && { scopes: principal.token.scopes }),
    may_call: mayCall(principal),
    may_set_presence: maySetPresence(principal),
    client: identity.client,
    compress: identity.compress,
    presence: null,
    base: null,
    detached_at_ms: null,
  };
}

/**
 * Whether the credential that opens or resumes a session lets it take part in calls.
 * @see docs/spec/gateway.md#calls
 */
export function mayCall(principal: SessionPrincipal): boolean {
  return principal.kind === 'user' && principal.scopes.has('lobbies.write');
}

/**
 * Whether the credential that opens or resumes a session lets it show what its user does.
 * @see docs/spec/social.md#presence
 */
export function maySetPresence(principal: SessionPrincipal): boolean {
  if (principal.kind !== 'user') return true;
  return principal.scopes.has('activities.write') || principal.scopes.has('presences.write');
}

/**
 * Whether this credential may continue the session: it is its owner's, and has every scope with which the session began, because what the
 * session follows is not decided again.
 */
export function mayContinue(record: GatewaySessionRecord, principal: SessionPrincipal): boolean {
  const { kind } = principal;
  if (record.kind !== kind) return false;
  if (kind !== 'session' && record.application_id !== principal.application.id) return false;
  if (kind === 'user' && ![...expandScopes(record.scopes ?? [])].every(scope => principal.scopes.has(scope)))
    return false;
  return kind === 'bot' || record.user_id === principal.user.id;
}

/** The topic of this session and of every other session of the same user (or bot). */
export function homeOf({ kind, application_id, user_id }: GatewaySessionRecord): Topic {
  if (application_id === null) return topics.user(user_id);
  return kind === 'bot' ? topics.application(application_id) : topics.player(application_id, user_id);
}

/** The player of the session; undefined for bots and users' own clients, who are in no lobby. */
export function playerOf({ kind, application_id, user_id }: GatewaySessionRecord): Player | undefined {
  return kind === 'user' && application_id !== null ? { applicationId: application_id, userId: user_id } : undefined;
}

/** Whether the session is still what its node believes: no other node has taken it over or ended it. */
export async function holdsClaim(
  view: StoreView,
  { id, node, claim }: Pick<GatewaySessionRecord, 'id' | 'node' | 'claim'>,
): Promise<boolean> {
  const stored = await view.get('gateway_sessions', id);
  return stored?.node === node && stored.claim === claim;
}
