import { TransportError } from '../../model/errors/errors.ts';
import { type ApplicationId, parseSnowflake } from '../../model/snowflake.ts';
import { requireType } from '../../wire/arguments.ts';
import type { HttpAnswer } from '../../wire/http/http.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Calls } from '../calls.ts';
import { readCommandIndex } from './index-reader.ts';
import type { LoadCommands } from './live-commands.ts';
import type { CommandPlace } from './snapshot.ts';

/** Looks up which commands the player may use. @see docs/spec/http.md#routes */
export class CommandOperations {
  readonly #calls: Calls;
  readonly #applicationId: () => ApplicationId;

  /** @param applicationId gives the game's own application, or throws */
  constructor(calls: Calls, applicationId: () => ApplicationId) {
    this.#calls = calls;
    this.#applicationId = applicationId;
  }

  /**
   * What asks for the commands of a place.
   *
   * @throws ArgumentError `invalid_snowflake`, `invalid_argument`; what getting the application's id throws
   */
  prepare(place: CommandPlace): LoadCommands {
    const ask = this.#asking(place);
    return async signal => {
      const commands = readCommandIndex((await ask({ signal })).body);
      if (commands) return commands;
      throw new TransportError('unreadable_answer', 'The service answered something that is not a list of commands.');
    };
  }

  #asking(place: CommandPlace): (options: OperationOptions) => Promise<HttpAnswer> {
    const calls = this.#calls;
    const name = 'commands$';
    if (place === 'user_install') {
      return options => calls.send({ name, route: 'getUserCommandIndex', request: { path: {} } }, options);
    }
    if (place === 'bot_dm') {
      const path = { application_id: this.#applicationId() };
      return options => calls.send({ name, route: 'getApplicationCommandIndex', request: { path } }, options);
    }
    requireType('place', place, 'object');
    if ('guildId' in place) {
      const path = { guild_id: parseSnowflake<'guild'>(place.guildId, 'guildId') };
      return options => calls.send({ name, route: 'getGuildCommandIndex', request: { path } }, options);
    }
    const path = { channel_id: parseSnowflake<'channel'>(place.channelId, 'channelId') };
    return options => calls.send({ name, route: 'getChannelCommandIndex', request: { path } }, options);
  }
}
