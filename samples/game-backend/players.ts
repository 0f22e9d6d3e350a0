import { type Backend, OAuthError } from '@rallypoint/sdk/backend';
import { Refusal } from './refusal.ts';

/** A player whose access token the service has vouched for. */
export interface Player {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
}

export interface PlayersOptions {
  readonly backend: Pick<Backend, 'players'>;
  readonly baseUrl: string;
  /** Asks who owns the application; no player's token opens that. */
  readonly botToken: string;
}

/** Who calls, and what they may do. */
export interface Players {
  /**
   * @param authorization the request's header, `Bearer <access token>`
   * @param maxAgeMs 0 asks the service: a token that was revoked a moment ago opens nothing
   * @throws Refusal `unauthorized`, `wrong_application`; as `players.identify()` of the backend
   */
  identify(authorization: string | undefined, maxAgeMs?: number): Promise<Player>;
  /** @throws Refusal `service_unavailable` */
  isOwner(player: Player): Promise<boolean>;
}

const answerMsMax = 5_000;

export function createPlayers({ backend, baseUrl, botToken }: PlayersOptions): Players {
  return {
    async identify(authorization, maxAgeMs) {
      const token = /^Bearer (.*)$/.exec(authorization ?? '')?.[1];
      const { user } = await backend.players.identify(token, { maxAgeMs }).catch((error: unknown) => {
        if (!(error instanceof OAuthError)) throw error;
        if (error.code === 'wrong_application') {
          throw new Refusal('wrong_application', 'This token was granted to another game.');
        }
        throw new Refusal('unauthorized', 'Send the access token of a signed-in player.');
      });
      return { id: user.id, username: user.username, displayName: user.name };
    },

    async isOwner({ id }) {
      const answer = await fetch(`${baseUrl}/api/v10/oauth2/applications/@me`, {
        headers: { authorization: `Bot ${botToken}` },
        signal: AbortSignal.timeout(answerMsMax),
      }).catch(() => undefined);
      const body: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
      if (body === undefined) throw new Refusal('service_unavailable', 'The service does not say who owns the game.');
      const { owner, team } = record(body);
      if (record(owner).id === id) return true;
      const members = record(team).members;
      return Array.isArray(members) && members.some(member => record(record(member).user).id === id);
    },
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}
