import type { UserId } from '../../../../model/snowflake.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../../../http/call.ts';
import type { StoreView } from '../../../store/contract.ts';
import { RequestError } from '../../../support/request-error.ts';
import { familyOf } from '../pair.ts';
import type { Caller, GameCaller, Relationships } from './relationships.ts';

/** Relationships of users. @see docs/spec/social.md#relationships */
export function relationshipRoutes(store: StoreView, relationships: Relationships): Handlers {
  const { games } = relationships;

  /** A user's own client names the game, and a player's token is one of the game. */
  async function gameCaller(call: Call): Promise<GameCaller> {
    const principal = expectPrincipal(call, 'user', 'session');
    if (principal.kind === 'user') return playerCaller(principal);
    const application = await store.get('applications', param(call, 'application_id'));
    if (!application) throw new RequestError('unknown_application');
    return { user: principal.user, applicationId: null, familyId: familyOf(application) };
  }

  return {
    listRelationships: async call => ({ status: 200, body: await relationships.list(callerOf(call)) }),
    async requestRelationship(call) {
      await relationships.request(callerOf(call), call.body);
      return { status: 204 };
    },
    async putRelationship(call) {
      await relationships.put(callerOf(call), targetId(call), call.body ?? {});
      return { status: 204 };
    },
    async editRelationship(call) {
      await relationships.edit(callerOf(call), targetId(call), call.body);
      return { status: 204 };
    },
    async deleteRelationship(call) {
      await relationships.remove(callerOf(call), targetId(call));
      return { status: 204 };
    },

    listGameRelationships: async call => ({ status: 200, body: await games.list(await gameCaller(call)) }),
    async requestGameRelationship(call) {
      await games.request(await gameCaller(call), call.body);
      return { status: 204 };
    },
    putGameRelationship: call => putInGame(call),
    deleteGameRelationship: call => deleteInGame(call),
    putGameRelationshipOf: call => putInGame(call),
    deleteGameRelationshipOf: call => deleteInGame(call),
  };

  async function putInGame(call: Call) {
    await games.put(await gameCaller(call), targetId(call), call.body ?? {});
    return { status: 204 };
  }

  async function deleteInGame(call: Call) {
    await games.remove(await gameCaller(call), targetId(call));
    return { status: 204 };
  }
}

function callerOf(call: Call): Caller {
  const principal = expectPrincipal(call, 'user', 'session');
  if (principal.kind === 'user') return playerCaller(principal);
  return { user: principal.user, applicationId: null, familyId: null };
}

function playerCaller({ user, application }: Extract<Call['principal'], { kind: 'user' }>): GameCaller {
  return { user, applicationId: application.id, familyId: familyOf(application) };
}

function targetId(call: Call): UserId {
  return param(call, 'user_id');
}
