import { hash } from 'node:crypto';
import type { UserId } from '../../../model/snowflake.ts';
import { createGuesses } from '../../auth/attempt-limiter.ts';
import { Gate } from '../../auth/concurrency-gate.ts';
import type { Core } from '../../core.ts';
import type { Activity } from '../../support/activity.ts';
import { Fault } from '../../support/fault.ts';
import { intakeLimits } from '../../support/service-limits.ts';
import { matchesPassword, signInNameOf } from './password.ts';

/** What somebody who wants to sign in gives. */
export interface SignInAttempt {
  readonly name: string;
  readonly password: string;
  /** Where it came from. */
  readonly address: string;
}

/**
 * Makes what finds the user with a name and a password. Undefined means that there is none, after the same work
 * whether the name or the password is the wrong one; wrong attempts count for the name, there or not, and for the
 * address.
 *
 * @throws Fault `rate_limited` after too many of them, or when too many are under way: then not even the right password is looked at
 */
export function createPasswordSignIn(
  core: Core,
  activity: Activity,
): (attempt: SignInAttempt) => Promise<UserId | undefined> {
  const ofAddress = createGuesses(core, 'sign-in-address');
  const ofName = createGuesses(core, 'sign-in-user');

  const gate = new Gate({
    running: intakeLimits.passwordsUnderWayMax,
    all: intakeLimits.signInsMax,
    perCaller: intakeLimits.signInsPerAddressMax,
  });

  async function find(signInName: string, password: string): Promise<UserId | undefined> {
    const [kept] = await core.store.list('passwords', { index: 'byName', equals: [signInName], limit: 1 });
    const isRight = await activity.runAside(() => gate.run(() => matchesPassword(password, kept?.hash)));
    return isRight ? kept?.user_id : undefined;
  }

  async function attempt({ name, password, address }: SignInAttempt): Promise<UserId | undefined> {
    const signInName = signInNameOf(name);
    return ofAddress.attempt(address, wrongForAddress =>
      // Hashed: some type their password into the field for the name.
      ofName.attempt(hash('sha256', signInName), async wrongForName => {
        const userId = await find(signInName, password);
        if (userId === undefined) {
          wrongForAddress();
          wrongForName();
        }
        return userId;
      }),
    );
  }

  return async given => {
    const place = gate.enter(given.address);
    if (!place) throw new Fault('rate_limited', { retry_after: tooManyRetrySeconds, global: false });
    try {
      return await attempt(given);
    } finally {
      place.leave();
    }
  };
}

const tooManyRetrySeconds = 5;
