import { type Message, messageFlags } from '../model/message.ts';
import { dataOf, type Received } from './user-session.ts';

/** A message and, if it is for one user alone, whose it is. */
interface Shown {
  readonly message: Message;
  readonly onlyFor: string | undefined;
}

/**
 * What the channels of a world show. The service tells of an application's message only the user whose interaction it answers,
 * so that what one user's session receives is kept here for all who may see it.
 */
export class Screen {
  #shown: readonly Shown[] = [];

  receive(userId: string, received: Received): void {
    const message = dataOf(received, 'MESSAGE_CREATE') ?? dataOf(received, 'MESSAGE_UPDATE');
    if (message) this.#put(userId, message as Message);
    const deleted = dataOf(received, 'MESSAGE_DELETE');
    if (deleted) this.#shown = this.#shown.filter(one => one.message.id !== deleted.id);
  }

  /** What the user sees in the channel, oldest first. */
  messages(userId: string, channelId: string): readonly Message[] {
    const seen = this.#shown.filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId);
    return seen.map(({ message }) => message).filter(({ channel_id }) => channel_id === channelId);
  }

  clear(): void {
    this.#shown = [];
  }

  #put(userId: string, message: Message): void {
    const isEphemeral = (message.flags & messageFlags.EPHEMERAL) !== 0;
    const next = { message, onlyFor: isEphemeral ? userId : undefined };
    const isKnown = this.#shown.some(one => one.message.id === message.id);
    this.#shown = isKnown
      ? this.#shown.map(one => (one.message.id === message.id ? next : one))
      : [...this.#shown, next];
  }
}
