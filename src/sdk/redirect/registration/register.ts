import type { RegisteredScheme, RegisterOptions, UnregisterOptions } from './registrar.ts';

/**
 * Registers the game as the program that opens its scheme, for this user. The forwarder then delivers addresses to the
 * running game, or starts it. Call it at each start: it is cheap, and repairs what an update or another program changed.
 * Idempotent.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`, `invalid_name`, `invalid_game`,
 *   `invalid_folder`, `missing_bundle_id`, `invalid_argument`
 * @throws RedirectError `registration_unavailable`: this system needs the native addon; `registration_failed`;
 *   `socket_path_too_long`
 */
export async function registerScheme(options: RegisterOptions): Promise<RegisteredScheme> {
  const { register, systemParts } = await import('./registrar.ts');
  return register(options, systemParts());
}

/**
 * Removes what {@link registerScheme} registered, but not another program's registration. Idempotent.
 *
 * @throws as {@link registerScheme}
 */
export async function unregisterScheme(options: UnregisterOptions): Promise<void> {
  const { unregister, systemParts } = await import('./registrar.ts');
  return unregister(options, systemParts());
}
