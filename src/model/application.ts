import type { IntegrationType } from './command.ts';
import type { ApplicationId } from './snowflake.ts';

/** Bits of an application's `flags` that this interface gives a meaning. @see docs/spec/http.md#application */
export const applicationFlags = {
  PUBLIC_OAUTH2_CLIENT: 1 << 8,
  EMBEDDED: 1 << 17,
  APPLICATION_COMMAND_BADGE: 1 << 23,
} as const;

/** What the rules need to know about an application to check its commands. */
export interface ApplicationTraits {
  /** It has an Activity: entry points and their handler are allowed. */
  readonly embedded: boolean;
  /** It is listed publicly: age-restricted commands are not allowed. */
  readonly discoverable: boolean;
  /** Where it can be installed; the default of a command's `integration_types`. */
  readonly integration_types: readonly IntegrationType[];
}

/** What an application's bot may change of it; what is left out stays. @see docs/spec/http.md#application */
export interface ApplicationEdit {
  /** Up to `limits.applicationDescriptionLengthMax` characters. */
  description?: string | null;
  /** Where its interactions go, tried out first; null or empty: by the gateway again. */
  interactions_endpoint_url?: string | null;
}

/** How an application is installed by a link that names nothing but the application. @see docs/spec/oauth2.md#installation */
export interface InstallParams {
  /** Of those that install: `applications.commands`, `bot`. */
  scopes: readonly string[];
  /** What the bot is to be allowed, permission bits as decimal text. */
  permissions: string;
}

/** @see docs/spec/oauth2.md#token-information */
export interface PartialApplication {
  id: ApplicationId;
  name: string;
  icon: string | null;
  description: string;
  bot_public: boolean;
  bot_require_code_grant: boolean;
  verify_key: string;
  /** What kind of application it is: none of those that have a name. */
  type: null;
  /** @see applicationFlags */
  flags: number;
  /** The flags as decimal text, which has room for more of them. */
  flags_new: string;
}
