import { isAbsolute } from 'node:path';
import type { KeychainTier } from '@rallypoint/sdk';

/** How the player comes back from the browser; `auto`: by the scheme where the system hands it to us, else by loopback. */
export type RedirectChoice = 'auto' | 'custom-scheme' | 'loopback';

/** Everything that differs between one run of the game and another. */
export interface AppOptions {
  readonly applicationId: string;
  /** Of the service. */
  readonly baseUrl: string;
  /** Where the game's own server is. */
  readonly backendBase: string;
  /** Scheme of the redirects. */
  readonly scheme: string;
  readonly redirect: RedirectChoice;
  /** Of the socket that the forwarder hands redirects to; absent: where the SDK puts it. */
  readonly redirectFolder?: string;
  /** Where the game keeps what is not secret, and its lock; absent: where Electron puts it. */
  readonly profile?: string;
  /** Keychains that are good enough. */
  readonly keychain: readonly KeychainTier[];
  /** What keychain entries are filed under. */
  readonly keychainService: string;
}

/** The names of the environment. */
export const variables = {
  applicationId: 'STARFALL_APPLICATION_ID',
  baseUrl: 'STARFALL_BASE_URL',
  backendBase: 'STARFALL_BACKEND',
  scheme: 'STARFALL_SCHEME',
  redirect: 'STARFALL_REDIRECT',
  redirectFolder: 'STARFALL_REDIRECT_FOLDER',
  profile: 'STARFALL_PROFILE',
  keychain: 'STARFALL_KEYCHAIN',
  keychainService: 'STARFALL_KEYCHAIN_SERVICE',
} as const satisfies Record<keyof AppOptions, string>;

const redirectChoices: readonly string[] = ['auto', 'custom-scheme', 'loopback'] satisfies readonly RedirectChoice[];

/**
 * Reads the options of a run. A shipped game would have most of them as constants.
 *
 * @throws Error naming the variable that is missing or wrong
 */
export function readOptions(environment: Readonly<Record<string, string | undefined>>): AppOptions {
  const given = (name: keyof AppOptions) => environment[variables[name]] || undefined;
  const need = (name: keyof AppOptions) => {
    const value = given(name);
    if (value !== undefined) return value;
    throw new Error(`${variables[name]} is missing. "npm run sample" sets all of them.`);
  };
  const applicationId = need('applicationId');
  const redirect = given('redirect') ?? 'auto';
  if (!redirectChoices.includes(redirect)) {
    throw new Error(`${variables.redirect} must be one of: ${redirectChoices.join(', ')}.`);
  }
  const profile = given('profile');
  const redirectFolder = given('redirectFolder');
  if (profile !== undefined && !isAbsolute(profile)) throw new Error(`${variables.profile} must be an absolute path.`);
  return {
    applicationId,
    baseUrl: need('baseUrl'),
    backendBase: need('backendBase'),
    scheme: given('scheme') ?? `discord-${applicationId}`,
    redirect: redirect as RedirectChoice,
    // openKeychain() says what is wrong with a tier it does not know.
    keychain: (given('keychain') ?? 'system').split(',') as KeychainTier[],
    keychainService: given('keychainService') ?? 'Starfall',
    ...(profile !== undefined && { profile }),
    ...(redirectFolder !== undefined && { redirectFolder }),
  };
}
