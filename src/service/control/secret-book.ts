import type { Core } from '../core.ts';
import { hashSecret } from '../secret.ts';
import type { ApplicationRecord } from '../store/records.ts';
import type { ApplicationFixture } from './fixtures-document.ts';
import type { ApplicationSecrets } from './fixtures-records.ts';
import { makeBotToken, makeClientSecret, makeKeyPair } from './secrets.ts';

/** Settles the secrets of applications, and can show those that came through here since the process began. */
export interface SecretBook {
  /**
   * What is kept of an application's secrets: those its fixture gives, else those it has, else new ones.
   *
   * @param replaceUnknown whether a secret that nobody can show any more gives way to a new one
   */
  settle(
    fixture: ApplicationFixture & Pick<ApplicationRecord, 'id'>,
    before: ApplicationRecord | undefined,
    replaceUnknown: boolean,
  ): ApplicationSecrets;

  /** The secret with this hash, undefined when it never came through here; null for no secret. */
  reveal(hash: string | null): string | null | undefined;
}

export function createSecretBook({ entropy, log }: Pick<Core, 'entropy' | 'log'>): SecretBook {
  const clear = new Map<string, string>();

  function note(secret: string): string {
    const hash = hashSecret(secret);
    clear.set(hash, secret);
    return hash;
  }

  return {
    reveal: hash => (hash === null ? null : clear.get(hash)),

    settle(fixture, before, replaceUnknown) {
      function one(
        name: string,
        given: string | null | undefined,
        hash: string | null | undefined,
        make: () => string,
      ) {
        if (given === null) return null;
        if (given !== undefined) return note(given);
        if (hash === undefined) return note(make());
        if (hash === null || clear.has(hash) || !replaceUnknown) return hash;
        log.warn({ application: fixture.id }, `Its ${name} is known by its hash alone; a new one takes its place.`);
        return note(make());
      }
      const { verify_key, signing_key } = before ?? makeKeyPair(entropy);
      return {
        verify_key,
        signing_key,
        bot_token_hash: one('bot token', fixture.bot_token, before?.bot_token_hash, () =>
          makeBotToken(entropy, fixture.id),
        ),
        client_secret_hash: one('client secret', fixture.client_secret, before?.client_secret_hash, () =>
          makeClientSecret(entropy),
        ),
      };
    },
  };
}
