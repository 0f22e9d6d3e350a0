import type { UserId } from '../../model/snowflake.ts';
import type { Observable } from '../live/rxjs.ts';
import type { LobbyStore } from '../lobby/store.ts';
import type { People } from './people.ts';
import type { SocialUserSnapshot } from './snapshot.ts';
import { pictureAs } from './views.ts';

/** Of a picture's address: what the file is to be. */
export type PictureType = 'gif' | 'webp' | 'png' | 'jpeg';

/**
 * The users that the client knows: the player, users with a relationship, members of lobbies, authors of messages. Asks nobody.
 *
 * @see docs/spec/social.md#users
 */
export class Users {
  readonly #people: People;
  readonly #lobbies: LobbyStore;

  /** @internal */
  constructor(people: People, lobbies: LobbyStore) {
    this.#people = people;
    this.#lobbies = lobbies;
  }

  /** The player; undefined until the client has connected. */
  get current(): SocialUserSnapshot | undefined {
    const { ownId } = this.#people;
    return ownId === undefined ? undefined : this.user(ownId);
  }

  user(id: UserId): SocialUserSnapshot | undefined {
    this.#meetMember(id);
    return this.#people.user(id);
  }

  user$(id: UserId): Observable<SocialUserSnapshot | undefined> {
    this.#meetMember(id);
    return this.#people.user$(id);
  }

  /**
   * The address of a user's picture in other types than {@link SocialUserSnapshot.avatarUrl} has it; undefined for a user whom the
   * client does not know.
   *
   * @param animated of a picture that moves. Default: `gif`
   * @param still of one that does not. Default: `png`
   */
  avatarUrl(id: UserId, animated: PictureType = 'gif', still: PictureType = 'png'): string | undefined {
    const user = this.user(id);
    return user && pictureAs(user.avatarUrl, animated, still);
  }

  /** Members of lobbies are looked up when somebody asks, so that events of lobbies cost nothing here. */
  #meetMember(id: UserId): void {
    if (this.#people.user(id)) return;
    for (const lobby of this.#lobbies.lobbies) {
      const user = this.#lobbies.member(lobby.id, id)?.user;
      if (!user) continue;
      this.#people.meet({ id, username: user.username, global_name: user.globalName });
      return;
    }
  }
}
