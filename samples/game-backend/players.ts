import { Refusal } from './refusal.ts';

/** A player whose access token the service has vouched for. */
export interface Player {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
}

export interface PlayersOptions {
  readonly applicationId: string;
  readonly baseUrl: string;
  /** Asks who owns the application; no player's token opens that. */
  readonly botToken: string;
}

/** Who calls, and what they may do. */
export interface Players {
  /**
   * Asks the service whose token this is, each time: a token that was revoked a moment ago opens nothing.
   *
   * @param authorization the request's header, `Bearer <access token>`
   * @throws Refusal `unauthorized`, `wrong_application`, `service_unavailable`
   */
  identify(authorization: string | undefined): Promise<Player>;
  /** @throws Refusal `service_unavailable` */
  isOwner(player: Player): Promise<boolean>;
}

const answerMsMax = 5_000;
// An access token is a few dozen letters; a header that is longer is not one.
const bearer = /^Bearer ([\x21-\x7E]{1,512})$/;

export function createPlayers({ applicationId, baseUrl, botToken }: PlayersOptions): Players {
  return {
    async identify(authorization) {
      const token = bearer.exec(authorization ?? '')?.[1];
      if (token === undefined) throw new Refusal('unauthorized', 'Send the access token of a signed-in player.');
      const { application, user } = await ask('/oauth2/@me', `Bearer ${token}`);
      // The step that is easily forgotten: players hand tokens to other games too, and those must open nothing here.
      if (record(application).id !== applicationId) {
        throw new Refusal('wrong_application', 'This token was granted to another game.');
      }
      const { id, username, global_name } = record(user);
      if (typeof id !== 'string' || typeof username !== 'string') {
        throw new Refusal('unauthorized', 'This token does not say whose it is: the scope identify is missing.');
      }
      return { id, username, displayName: typeof global_name === 'string' ? global_name : username };
    },

    async isOwner({ id }) {
      const { owner, team } = await ask('/oauth2/applications/@me', `Bot ${botToken}`);
      if (record(owner).id === id) return true;
      const members = record(team).members;
      return Array.isArray(members) && members.some(member => record(record(member).user).id === id);
    },
  };

  async function ask(path: string, authorization: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${baseUrl}/api/v10${path}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(answerMsMax),
    }).catch(() => undefined);
    if (answer?.status === 401 && authorization.startsWith('Bearer ')) {
      throw new Refusal('unauthorized', 'The service does not accept this token.');
    }
    const body: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
    if (body === undefined) throw new Refusal('service_unavailable', 'The service does not say who that is.');
    return record(body);
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}
