import type { KeychainErrorCode } from '../../model/errors/error-codes.ts';
import { KeychainError } from '../../model/errors/errors.ts';

interface Kind {
  readonly code: KeychainErrorCode;
  readonly said: RegExp;
  readonly remedy: string;
}

/**
 * What the libraries say, which have texts of the system and no codes, and what to do about it. A text that is new to us
 * is `keychain_unusable`.
 */
const kinds: readonly Kind[] = [
  {
    code: 'keychain_no_bus',
    said: /autolaunch|DBUS_SESSION_BUS_ADDRESS|could not connect: |DBus error: .*(No such file|Connection refused)/i,
    remedy: 'there is no session bus. Start the game within a desktop session, or with DBUS_SESSION_BUS_ADDRESS set.',
  },
  {
    code: 'keychain_no_collection',
    said: /does not exist at path|no result found|StartServiceByName|ServiceUnknown|not provided by any/i,
    remedy:
      'there is no keyring, or no keyring service. Install one (gnome-keyring, KWallet) and log in, or create one.',
  },
  {
    code: 'keychain_locked',
    said: /locked|prompt was dismissed|interaction is not allowed|could not be unlocked/i,
    remedy: "it is locked. Unlock it (log in, or open the system's password manager) and try again.",
  },
  {
    code: 'keychain_denied',
    said: /access ?(is )?denied|permission|not permitted|canceled by the user|authorization/i,
    remedy: 'access was denied. Allow the game to use it, when asked and in the settings of the system.',
  },
];

/** What a library's failure means to a game. */
export function libraryFailure(error: unknown): KeychainError {
  const said = error instanceof Error ? error.message : 'no reason given';
  const kind = kinds.find(candidate => candidate.said.test(said));
  const remedy = kind ? `${kind.remedy} ` : '';
  return new KeychainError(
    kind?.code ?? 'keychain_unusable',
    `The system's keychain cannot be used: ${remedy}(It said: ${said})`,
  );
}
