import { hash } from 'node:crypto';
import type { UserId } from '../../../../model/snowflake.ts';
import { type AttemptOptions, createAttemptLimiter } from '../../../auth/attempt-limiter.ts';
import { ConcurrencyGate } from '../../../auth/concurrency-gate.ts';
import type { Core } from '../../../core.ts';
import { LruCache } from '../../../support/lru-cache.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import { RequestError } from '../../../support/request-error.ts';
import { intakeLimits } from '../../../support/service-limits.ts';
import { matchesPassword, signInNameOf } from './password.ts';

/** One attempt to sign in. */
export interface SignInAttempt {
  readonly name: string;
  readonly password: string;
  /** Where the attempt came from. */
  readonly address: string;
}

/**
 * Pairs of a name and an address with a successful sign-in; the most recent ones. Unspecified: their number, which
 * takes a few MB.
 */
const homesMax = 20_000;

/**
 * Creates a function that finds the user with a name and a password. It returns undefined when there is none, after
 * the same work whether the name or the password is wrong.
 *
 * Wrong attempts count for the name, whether it exists or not, together with the address, so that nobody elsewhere
 * locks a player out. Two looser limits bound attempts at many names and from many addresses: one for the address,
 * and one for the name, beyond which each address has one attempt. Neither applies to an address from which the user
 * signed in before.
 *
 * @throws RequestError `rate_limited` after too many wrong attempts, or while too many are in progress; then even the
 *   right password is rejected without being checked
 */
export function createPasswordSignIn(
  core: Core,
  pendingWork: PendingWork,
): (attempt: SignInAttempt) => Promise<UserId | undefined> {
  const ofAddress = createAttemptLimiter(core, 'sign-in-address');
  const ofPair = createAttemptLimiter(core, 'sign-in-user');
  const ofName = createAttemptLimiter(core, 'sign-in-name');
  const homes = new LruCache<true>(homesMax);

  const gate = new ConcurrencyGate({
    running: intakeLimits.passwordsUnderWayMax,
    all: intakeLimits.signInsMax,
    perCaller: intakeLimits.signInsPerAddressMax,
  });

  async function find(signInName: string, password: string): Promise<UserId | undefined> {
    const [kept] = await core.store.list('passwords', { index: 'byName', equals: [signInName], limit: 1 });
    const isRight = await pendingWork.runAside(() => gate.run(() => matchesPassword(password, kept?.hash)));
    return isRight ? kept?.user_id : undefined;
  }

  async function attempt({ name, password, address }: SignInAttempt): Promise<UserId | undefined> {
    const signInName = signInNameOf(name);
    // Hashed, because some users type their password into the name field.
    const counted = hash('sha256', signInName);
    const pair = `${counted}/${address}`;
    const attemptOfPair = (wrongElsewhere: () => void, options?: AttemptOptions<UserId | undefined>) =>
      ofPair.attempt(
        pair,
        async wrong => {
          const userId = await find(signInName, password);
          if (userId === undefined) {
            wrong();
            wrongElsewhere();
          } else homes.set(pair, true, 1);
          return userId;
        },
        options,
      );
    if (homes.get(pair)) return attemptOfPair(() => {});
    return ofAddress.attempt(address, wrongForAddress =>
      ofName.attempt(
        counted,
        wrongForName =>
          attemptOfPair(() => {
            wrongForAddress();
            wrongForName();
          }),
        { whenReached: () => attemptOfPair(wrongForAddress, { wrongMax: 1 }) },
      ),
    );
  }

  return async given => {
    const place = gate.enter(given.address);
    if (!place) throw new RequestError('rate_limited', { retry_after: tooManyRetrySeconds, global: false });
    try {
      return await attempt(given);
    } finally {
      place.leave();
    }
  };
}

const tooManyRetrySeconds = 5;
