import type { LobbyId, UserId } from '../../model/snowflake.ts';
import type { MemberGone, MemberNews } from './event.ts';
import { LiveList } from './live-list.ts';
import { LiveMessages } from './live-messages.ts';
import { readMember } from './lobby-reader.ts';
import { share } from './share.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbySnapshot,
  LobbyVoiceStates,
  VoiceStateSnapshot,
} from './snapshot.ts';

/** What a lobby shows beside its members and its call. */
type LobbyHead = Omit<LobbySnapshot, 'members' | 'voiceStates'>;

/**
 * One lobby as it changes. An event costs the same however many members there are, and next to nothing while nobody
 * looks: snapshots are made when somebody does, and kept until the next change.
 */
export class LiveLobby {
  readonly id: LobbyId;
  readonly messages = new LiveMessages();
  #head: LobbyHead;
  readonly #members: LiveList<LobbyMemberSnapshot>;
  readonly #voiceStates: LiveList<VoiceStateSnapshot>;
  /** What was heard of members since somebody looked: of each the latest. */
  readonly #news = new Map<UserId, MemberNews | MemberGone>();
  /** Whether some of that says who its member is. Few events do, and to look for one costs as much as all the rest. */
  #isUserUnread = false;
  #shown: LobbySnapshot | undefined;

  constructor(lobby: LobbySnapshot) {
    const { members, voiceStates, ...head } = lobby;
    this.id = lobby.id;
    this.#head = Object.freeze(head);
    this.#members = new LiveList(members);
    this.#voiceStates = new LiveList(voiceStates);
  }

  /** Frozen; the same object until something changes. */
  get shown(): LobbySnapshot {
    const { members } = this;
    if (this.#shown?.members !== members) {
      this.#shown = Object.freeze({ ...this.#head, members, voiceStates: this.voiceStates });
    }
    return this.#shown;
  }

  get voiceStates(): LobbyVoiceStates {
    return this.#voiceStates.shown;
  }

  get members(): LobbyMembers {
    for (const id of this.#news.keys()) this.#read(id);
    this.#isUserUnread = false;
    return this.#members.shown;
  }

  member(id: UserId): LobbyMemberSnapshot | undefined {
    this.#read(id);
    return this.#members.find(id);
  }

  /** Takes over what the lobby is now; its messages stay. */
  replace({ members, voiceStates, ...head }: LobbySnapshot): void {
    const shared = share(this.#head, Object.freeze(head));
    if (shared !== this.#head) this.#shown = undefined;
    this.#head = shared;
    for (const id of [...this.#news.keys()]) this.#read(id);
    const ids = new Set(members.map(({ id }) => id));
    for (const id of [...this.#members.ids()]) if (!ids.has(id)) this.#members.remove(id);
    for (const member of members) this.#put(member);
    const speaking = new Set(voiceStates.map(({ id }) => id));
    for (const { id } of this.voiceStates) if (!speaking.has(id)) this.changeVoice(id, undefined);
    for (const state of voiceStates) this.changeVoice(state.id, state);
  }

  /** A member is in the call as `state` says, or has left it. */
  changeVoice(id: UserId, state: VoiceStateSnapshot | undefined): void {
    const present = this.#voiceStates.find(id);
    const shared = state && share(present, state);
    if (shared === present) return;
    if (shared) this.#voiceStates.put(shared);
    else this.#voiceStates.remove(id);
    this.#shown = undefined;
  }

  /** A member came, changed or went. */
  hear(news: MemberNews | MemberGone): void {
    if (news.kind === 'member') {
      // What it leaves out stays as it was said before; that is read first therefore.
      if (this.#leavesOut(news) && this.#hasToldMore(news)) this.#read(news.memberId);
      if (news.fields.user !== undefined) this.#isUserUnread = true;
    }
    this.#news.set(news.memberId, news);
  }

  #read(id: UserId): void {
    const news = this.#news.get(id);
    if (!news) return;
    this.#news.delete(id);
    if (news.kind === 'member') this.#put(readMember(id, news.fields, news.connected, this.#members.find(id)));
    else this.#members.remove(id);
  }

  /** Whether it leaves out what may have been told and not been read yet. */
  #leavesOut({ fields, connected }: MemberNews): boolean {
    const { metadata, flags, user } = fields;
    if (metadata === undefined || flags === undefined || (connected ?? fields.connected) === undefined) return true;
    return user === undefined && this.#isUserUnread;
  }

  /** Whether something that was heard of the member, and is not read yet, says what this leaves out. */
  #hasToldMore({ memberId, fields, connected }: MemberNews): boolean {
    const earlier = this.#news.get(memberId);
    if (earlier?.kind !== 'member') return earlier !== undefined;
    const { metadata, flags, user } = fields;
    const isUserTold = user === undefined && earlier.fields.user !== undefined;
    return isUserTold || metadata === undefined || flags === undefined || (connected ?? fields.connected) === undefined;
  }

  #put(member: LobbyMemberSnapshot): void {
    const present = this.#members.find(member.id);
    // Not every event says who the member is.
    const known = present?.user && !member.user ? Object.freeze({ ...member, user: present.user }) : member;
    const shared = share(present, known);
    if (shared !== present) this.#members.put(shared);
  }
}
