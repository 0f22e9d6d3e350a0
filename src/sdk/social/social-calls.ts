import { ArgumentError } from '../../model/errors/errors.ts';
import type { HttpAnswer } from '../../wire/http/http.ts';
import type { RouteName } from '../../wire/routes.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Calls, Operation } from '../calls.ts';
import type { People } from './people.ts';

/** Calls of the social layer: with a clear error when the player has not granted what they need. */
export class SocialCalls {
  readonly calls: Calls;
  readonly people: People;

  constructor(calls: Calls, people: People) {
    this.calls = calls;
    this.people = people;
  }

  /** @param scopes any one of which suffices @throws ArgumentError `missing_scope`; as {@link Calls.send} */
  async send<Name extends RouteName>(
    scopes: readonly string[],
    operation: Operation<Name>,
    options: OperationOptions,
  ): Promise<HttpAnswer> {
    this.require(...scopes);
    return this.calls.send(operation, options);
  }

  /** @throws ArgumentError `missing_scope` when the session is known to have none of them */
  require(...oneOf: readonly string[]): void {
    const missing = this.people.lacks(...oneOf);
    if (missing === undefined) return;
    throw new ArgumentError(
      'missing_scope',
      `The player has not granted the scope ${missing}. Ask for it at the sign-in.`,
    );
  }
}
