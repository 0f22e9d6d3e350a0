import { type CommandChoice, commandTypes } from '../model/command.ts';
import type { CommandIndex } from '../model/command-index.ts';
import { type Component, componentTypes, type Modal } from '../model/component.ts';
import { activityActionTypes, type DirectMessage, type DirectMessageInput } from '../model/direct-message.ts';
import { RallypointError } from '../model/errors/errors.ts';
import type { ModalCreated } from '../model/gateway.ts';
import { interactionTypes } from '../model/interaction.ts';
import { type Message, messageFlags } from '../model/message.ts';
import type { Activity, ClientStatus } from '../model/presence.ts';
import { relationshipTypes } from '../model/relationship.ts';
import { parseOptions, requireType } from '../wire/arguments.ts';
import type { Clock } from '../wire/clock/ports.ts';
import {
  type ChosenCommand,
  findCommand,
  type Names,
  notInWorld,
  type OptionInputs,
  optionValues,
} from './command-input.ts';
import { type Filled, filledIn, inputsOf, isNamed, nameOf, usable } from './component-input.ts';
import type { HandlerFailure, HandlerWatch } from './handler-watch.ts';
import { allowLateAwait } from './started-calls.ts';
import { closed, dataOf, type Received, type UserSession } from './user-session.ts';
import { requireRealTicks, whenStill } from './world-clock.ts';

/** Where a user does something. */
export interface Place {
  /** A channel, by name or id. Default: the first one of the world. */
  readonly in?: string;
  /** In the user's direct messages with the application's bot, not in a channel of the guild. Default false. */
  readonly direct?: boolean;
}

/** What became of something that a user did. */
export interface Reply {
  /**
   * - `message`: the application answered with a message
   * - `update`: it changed the message whose component was used
   * - `modal`: it showed a form
   * - `acknowledged`: it answered, and nothing is shown yet
   */
  readonly kind: 'message' | 'update' | 'modal' | 'acknowledged';
  /** The text of the message; empty where there is none. */
  readonly content: string;
  readonly message?: Message;
  readonly modal?: Modal;
  /** Only this user sees the message. */
  readonly isEphemeral: boolean;
  /** The application said that it will answer later. */
  readonly isDeferred: boolean;
  /**
   * Resolves with what is shown in the end: with this reply unless it is deferred or `acknowledged`, and otherwise once the application
   * has sent or changed its message.
   *
   * @throws RallypointError `interaction_failed`: the handler failed after it had deferred its answer; `closed` when the world is closed before
   */
  completed(): Promise<Reply>;
}

/** What a user of a world is made from. */
export interface WorldUserParts {
  readonly id: string;
  readonly username: string;
  /** The application in whose bot's direct messages the user can be. */
  readonly applicationId: string;
  readonly names: Names;
  /** Resolves once all users have received what the service had sent. */
  readonly settled: () => Promise<void>;
  readonly clock: Clock;
  /** Absent: nobody knows how the application's handlers end. */
  readonly handlers?: HandlerWatch;
}

interface Use {
  readonly application_id: string;
  readonly type: number;
  readonly data: object;
  readonly message_id?: string;
}

/** Where something is done; outside guilds without a guild. */
interface Spot {
  readonly id: string;
  readonly guildId?: string;
}

type Awaited<T> = (received: Received, nonce: string) => T | undefined;

/** A user in front of the guild's channels: does what a person does in a chat client, by the service's public interface. */
export class WorldUser {
  readonly id: string;
  readonly username: string;
  readonly #parts: WorldUserParts;
  #session: UserSession | undefined;
  /** What the channels show this user, oldest first. */
  #screen: readonly Message[] = [];
  #modal: ModalCreated | undefined;
  #lastNonce = 0;
  /** Of the activity that is shown. */
  #party: string | undefined;

  /** @internal */
  constructor(parts: WorldUserParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.username = parts.username;
  }

  /**
   * Uses a command: `use('/rally', { where: 'harbour' })`, `use('/crew add', { member: 'grace' })`, or a context-menu command by
   * its name. Users and channels are given by name or id. Resolves with the application's first answer.
   *
   * @param more `target`: the user (by name) or message (by id) that a context-menu command is used on
   * @throws ArgumentError `not_in_world`: there is no such command or option, or the user may not use it here
   * @throws ApiError what the service rejected; RallypointError `interaction_failed`: the handler failed (its error is the `cause`) or
   *   did not answer
   */
  async use(
    command: string,
    options: OptionInputs = {},
    more: Place & { readonly target?: string } = {},
  ): Promise<Reply> {
    const spot = this.#spotOf(more);
    const found = await this.#command(command, spot);
    const { names } = this.#parts;
    const target = more.target !== undefined && {
      target_id: found.command.type === commandTypes.USER ? await names.userId(more.target) : more.target,
    };
    const data = { ...invocation(found), options: await optionValues(found, options, names), ...target };
    const { application_id } = found.command;
    return this.#act({ application_id, type: interactionTypes.APPLICATION_COMMAND, data }, spot);
  }

  /**
   * Types into an option, and resolves with what the application suggests. The last option given is the one being typed.
   *
   * @throws ArgumentError `not_in_world`; ApiError; RallypointError `interaction_failed`
   */
  async autocomplete(command: string, options: OptionInputs, place: Place = {}): Promise<readonly CommandChoice[]> {
    const spot = this.#spotOf(place);
    const found = await this.#command(command, spot);
    const { names } = this.#parts;
    const focused = Object.keys(options).at(-1);
    const data = { ...invocation(found), options: await optionValues(found, options, names, focused) };
    const { application_id } = found.command;
    const use = { application_id, type: interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE, data };
    return this.#send(use, spot, (received, nonce) => {
      const response = dataOf(received, 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE');
      return response?.nonce === nonce ? response.choices : undefined;
    });
  }

  /** Presses a button of the newest message that has it. @param button its label or custom id */
  press(button: string, place: Place = {}): Promise<Reply> {
    const isIt = (one: Component) => one.type === componentTypes.BUTTON && isNamed(one, button);
    return this.#useComponent('button', button, isIt, undefined, place);
  }

  /** Chooses in a select of the newest message that has it. @param select its placeholder or custom id @param values of the options */
  choose(select: string, values: string | readonly string[], place: Place = {}): Promise<Reply> {
    const isIt = (one: Component) => one.type !== componentTypes.BUTTON && isNamed(one, select);
    return this.#useComponent('select', select, isIt, typeof values === 'string' ? [values] : values, place);
  }

  /**
   * Submits the form that was shown last.
   *
   * @param values by the label or custom id of the input; inputs that are left out stay as the form showed them
   */
  async submit(values: Filled = {}): Promise<Reply> {
    const modal = this.#modal;
    if (!modal) throw notInWorld('form on the screen', undefined, []);
    const inputs = modal.components.flatMap(inputsOf);
    for (const name of Object.keys(values)) {
      if (!inputs.some(({ names }) => names.includes(name))) {
        throw notInWorld(
          'input of the form',
          name,
          inputs.flatMap(({ names }) => names),
        );
      }
    }
    this.#modal = undefined;
    const components = modal.components.map(component => filledIn(component, values));
    const { id, custom_id, channel_id } = modal;
    const data = { id, custom_id, components };
    const use = { application_id: modal.application.id, type: interactionTypes.MODAL_SUBMIT, data };
    return this.#act(use, channel_id === this.id ? { id: channel_id } : this.#parts.names.channel(channel_id));
  }

  /** What the channel shows this user, oldest first: as the messages are now, those for this user alone included. */
  messages(place: Place = {}): readonly Message[] {
    const { id } = this.#spotOf(place);
    return this.#screen.filter(({ channel_id }) => channel_id === id);
  }

  /** The newest message that the channel shows. */
  lastMessage(place: Place = {}): Message | undefined {
    return this.messages(place).at(-1);
  }

  /**
   * Becomes a friend of another user, who agrees to it.
   *
   * @param options `game`: in the application's game alone, which both must have signed in to. Default: everywhere
   * @throws ApiError for example `already_friends`
   */
  async befriend(other: WorldUser, options?: { readonly game?: boolean }): Promise<void> {
    const { game = false } = parseOptions(options);
    requireUser(other);
    await this.#relate(other, game);
    await other.#relate(this, game);
    await this.#parts.settled();
  }

  /** Blocks another user, everywhere. */
  async block(other: WorldUser | string): Promise<void> {
    const id = await this.#idOf(other);
    await this.#opened.request('putRelationship', `/users/@me/relationships/${id}`, {
      type: relationshipTypes.BLOCKED,
    });
    await this.#parts.settled();
  }

  /**
   * Shows others a status and an activity in the application's game, in place of what was shown before; without an activity, none.
   * Joinable activities have `party` and `secrets.join`, as the wire has them.
   */
  async setPresence(activity?: Partial<Activity>, status: Exclude<ClientStatus, 'offline'> = 'online'): Promise<void> {
    const shown = activity && { name: 'Game', type: 0, application_id: this.#parts.applicationId, ...activity };
    this.#party = shown?.party?.id;
    this.#opened.setPresence({ since: null, status, afk: false, activities: shown ? [shown] : [] });
    await this.#parts.settled();
    await this.#parts.settled();
  }

  /** Writes to another user. @throws ApiError for example `no_mutual_guilds` */
  async write(other: WorldUser | string, content: string): Promise<DirectMessage> {
    return this.#post(other, { content });
  }

  /** Invites another user to the party of the activity that {@link setPresence} shows. @throws ApiError `invalid_activity_action` */
  async invite(other: WorldUser | string, content = ''): Promise<DirectMessage> {
    const activity = { type: activityActionTypes.JOIN, session_id: this.#opened.id, party_id: this.#party ?? '' };
    return this.#post(other, { content, activity, application_id: this.#parts.applicationId });
  }

  /** Resolves once everything that the service has sent this user has arrived. */
  async settled(): Promise<void> {
    await this.#session?.barrier();
  }

  /** @internal The session to act through from now on. */
  attach(session: UserSession | undefined): void {
    this.#session = session;
    this.#screen = [];
    this.#modal = undefined;
  }

  /** @internal */
  receive(received: Received): void {
    const message = (dataOf(received, 'MESSAGE_CREATE') ?? dataOf(received, 'MESSAGE_UPDATE')) as Message | undefined;
    if (message) this.#show(message);
    const deleted = dataOf(received, 'MESSAGE_DELETE');
    if (deleted) this.#screen = this.#screen.filter(({ id }) => id !== deleted.id);
    this.#modal = dataOf(received, 'INTERACTION_MODAL_CREATE') ?? this.#modal;
  }

  #show(message: Message): void {
    const isKnown = this.#screen.some(({ id }) => id === message.id);
    this.#screen = isKnown
      ? this.#screen.map(one => (one.id === message.id ? message : one))
      : [...this.#screen, message];
  }

  async #useComponent(
    what: string,
    name: string,
    isIt: (component: Component) => boolean,
    values: readonly string[] | undefined,
    place: Place,
  ): Promise<Reply> {
    await this.settled();
    const shown = this.messages(place).map(message => ({ message, components: usable(message) }));
    const found = shown.findLast(({ components }) => components.some(isIt));
    const component = found?.components.find(isIt);
    if (!found || !component) {
      throw notInWorld(
        `${what} in the channel`,
        name,
        shown.flatMap(({ components }) => components.map(nameOf)),
      );
    }
    const { type: component_type, custom_id } = component;
    const data = { component_type, custom_id, ...(values && { values }) };
    const { id: message_id, webhook_id: application_id } = found.message;
    const use = { application_id, type: interactionTypes.MESSAGE_COMPONENT, message_id, data };
    return this.#act(use, this.#spotOf(place));
  }

  /** Does it, and waits for the application's first answer. */
  async #act(use: Use, spot: Spot): Promise<Reply> {
    const session = this.#opened;
    const seen: Received[] = [];
    const completed = Promise.withResolvers<Reply>();
    // Most tests do not ask for it.
    completed.promise.catch(() => {});
    let id: string | undefined;
    const of = { pressedId: use.message_id, completed: () => this.#answered(completed) };
    const complete = (): void => {
      const reply = id === undefined ? undefined : replyOf(seen, { ...of, id, state: 'newest' });
      if (!reply || reply.isDeferred || reply.kind === 'acknowledged') return;
      stop();
      completed.resolve(reply);
    };
    const stop = session.listen(
      received => {
        seen.push(received);
        complete();
      },
      () => completed.reject(closed()),
    );
    try {
      id = await this.#send(use, spot, (received, nonce) => {
        const success = dataOf(received, 'INTERACTION_SUCCESS');
        return success?.nonce === nonce ? success.id : undefined;
      });
    } catch (error) {
      stop();
      throw error;
    }
    // What the answer shows follows the success, also to the others in the channel.
    await this.#parts.settled();
    complete();
    this.#parts.handlers?.onFailure(id, async failure => {
      await this.#parts.settled();
      complete();
      completed.reject(failed(failure));
    });
    return replyOf(seen, { ...of, id, state: 'first' });
  }

  async #send<T>(use: Use, { id: channel_id, guildId: guild_id }: Spot, answered: Awaited<T>): Promise<T> {
    const session = this.#opened;
    const nonce = `${this.username.slice(0, 8)}-${++this.#lastNonce}`;
    const outcome = Promise.withResolvers<T>();
    const stop = session.listen(
      received => {
        const answer = answered(received, nonce);
        if (answer !== undefined) outcome.resolve(answer);
        const failure = dataOf(received, 'INTERACTION_FAILURE');
        if (failure?.nonce === nonce) outcome.reject(failed(this.#parts.handlers?.failureOf(failure.id)));
      },
      () => outcome.reject(closed()),
    );
    // It may be rejected before the request is answered.
    outcome.promise.catch(() => {});
    try {
      const body = { ...use, ...(guild_id !== undefined && { guild_id }), channel_id, nonce };
      await session.request('invokeCommand', '/interactions', body);
      return await this.#answered(outcome);
    } finally {
      stop();
    }
  }

  /** Waits for what the application does. Real time bounds it too: the world's may stand still. */
  async #answered<T>({ promise, reject }: PromiseWithResolvers<T>): Promise<T> {
    const cancel = whenStill(this.#parts.clock, stillMsMax, () => reject(failed({ message: still })));
    try {
      return await promise;
    } finally {
      cancel();
    }
  }

  async #command(written: string, { id, guildId }: Spot): Promise<ChosenCommand> {
    const index =
      guildId === undefined
        ? await this.#opened.request<CommandIndex>(
            'getApplicationCommandIndex',
            `/applications/${this.#parts.applicationId}/application-command-index`,
          )
        : await this.#opened.request<CommandIndex>(
            'getChannelCommandIndex',
            `/channels/${id}/application-command-index`,
          );
    return findCommand(index.application_commands, written);
  }

  /** Direct messages have no channel of their own in the service: the user's id stands for them. */
  #spotOf(place: Place): Spot {
    requireType('place', place, 'object');
    const { in: channel, direct = false } = place;
    return direct ? { id: this.id } : this.#parts.names.channel(channel);
  }

  async #relate(other: WorldUser, game: boolean): Promise<void> {
    const { applicationId } = this.#parts;
    const session = this.#opened;
    if (!game) await session.request('putRelationship', `/users/@me/relationships/${other.id}`, {});
    else {
      const path = `/users/@me/game-relationships/${other.id}/${applicationId}`;
      await session.request('putGameRelationshipOf', path, {});
    }
  }

  async #post(other: WorldUser | string, message: DirectMessageInput): Promise<DirectMessage> {
    const path = `/users/${await this.#idOf(other)}/messages`;
    const sent = await this.#opened.request<DirectMessage>('createDirectMessage', path, message);
    await this.#parts.settled();
    return sent;
  }

  async #idOf(other: WorldUser | string): Promise<string> {
    if (typeof other === 'string') return this.#parts.names.userId(other);
    requireUser(other);
    return other.id;
  }

  get #opened(): UserSession {
    requireRealTicks();
    if (this.#session) return this.#session;
    throw closed();
  }
}

allowLateAwait(WorldUser);

/** @throws ArgumentError `invalid_argument` */
function requireUser(other: WorldUser): void {
  requireType('The id of the other user', Object(other).id, 'string');
}

function invocation({ command: { id, version, name, type } }: ChosenCommand) {
  return { id, version, name, type };
}

/** Longer than any handler takes that does not wait for virtual time. */
const stillMsMax = 10_000;
const still =
  `The application has not answered the interaction within ${stillMsMax / 1000} s of real time, and the world's time stood still. ` +
  'Does a backend listen to interactions? If its handler waits for time to pass, start the call, advance the clock, then await the call.';

const late: HandlerFailure = { message: 'The application did not answer the interaction in time.' };

function failed({ message, ...options }: HandlerFailure = late): RallypointError {
  return new RallypointError('interaction_failed', message, options);
}

function replyOf(
  seen: readonly Received[],
  {
    id,
    pressedId,
    state,
    completed,
  }: Pick<Reply, 'completed'> & {
    /** Of the interaction. */
    readonly id: string;
    readonly pressedId: string | undefined;
    /** Of its message: an application may have changed it before anybody looked at it. */
    readonly state: 'first' | 'newest';
  },
): Reply {
  const modal = seen.map(one => dataOf(one, 'INTERACTION_MODAL_CREATE')).find(one => one?.id === id);
  const created = seen
    .map(one => dataOf(one, 'MESSAGE_CREATE') as Message | undefined)
    .find(one => one?.interaction_metadata?.id === id);
  const updates = seen
    .flatMap(one => (dataOf(one, 'MESSAGE_UPDATE') as Message | undefined) ?? [])
    .filter(one => one.id === created?.id || one.id === pressedId);
  const message = state === 'first' ? (created ?? updates[0]) : (updates.at(-1) ?? created);
  const flags = message?.flags ?? 0;
  return {
    kind: modal ? 'modal' : created ? 'message' : message ? 'update' : 'acknowledged',
    content: message?.content ?? '',
    ...(message && { message }),
    ...(modal && { modal }),
    isEphemeral: (flags & messageFlags.EPHEMERAL) !== 0,
    isDeferred: (flags & messageFlags.LOADING) !== 0,
    completed,
  };
}
