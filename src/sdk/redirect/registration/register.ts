import type { RegisteredScheme, RegisterOptions, UnregisterOptions } from './registration.ts';

/**
 * Makes the game the program of its scheme, for this user; the forwarder then hands addresses to the running game, or
 * starts it. Call it at each start: it is cheap, and mends what an update or another program has changed. Idempotent.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`, `invalid_name`, `invalid_game`,
 *   `missing_bundle_id`
 * @throws RedirectError `registration_unavailable`: this system needs the native addon; `registration_failed`;
 *   `socket_path_too_long`
 */
export async function registerScheme(options: RegisterOptions): Promise<RegisteredScheme> {
  const { register, systemParts } = await import('./registrar.ts');
  return register(options, systemParts());
}

/**
 * Takes back what {@link registerScheme} did; what another program registered stays. Idempotent.
 *
 * @throws as {@link registerScheme}
 */
export async function unregisterScheme(options: UnregisterOptions): Promise<void> {
  const { unregister, systemParts } = await import('./registrar.ts');
  return unregister(options, systemParts());
}
