/**
 * Codes of faults that no rule finds, because they depend on what the service knows, and their wording.
 *
 * @see docs/spec/errors.md#field-error-codes
 */
export const serviceFieldErrors = {
  CONTENT_TYPE_INVALID: (expected: string) => `Expected "Content-Type" header to be one of {'${expected}'}.`,
  COMPONENT_VALIDATION_FAILED: () => 'Component validation failed',
  APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID: () => 'The specified interactions endpoint URL could not be verified.',
  // Our choice: nobody has captured what the hosted service says to these faults.
  LOBBIES_PER_USER_MAX: (max: number) => `The user is already in ${max} lobbies of this application`,
  ID_UNKNOWN: (what: string) => `There is no such ${what} here`,
  URL_ADDRESS_PRIVATE: () => 'Must not lead to a private address.',
  // The two that a client gets for a command it should reload.
  INTERACTION_APPLICATION_COMMAND_INVALID: () => 'Invalid interaction application command',
  INTERACTION_APPLICATION_COMMAND_INVALID_VERSION: () => 'This command is outdated, please try again in a few minutes',
} as const;
