import { UsageError } from '../command-line.ts';
import type { Terminal } from '../terminal.ts';
import { secretVariables } from './settings.ts';

export interface Secrets {
  readonly botToken?: string;
  readonly clientSecret?: string;
}

/**
 * The application's secrets: from the environment or, where somebody sits at a terminal, from a hidden prompt.
 *
 * @throws UsageError there is neither
 */
export async function readSecrets({ environment, askHidden }: Terminal): Promise<Secrets> {
  const botToken = environment[secretVariables.botToken];
  const clientSecret = environment[secretVariables.clientSecret];
  if (botToken || clientSecret) return { ...(botToken && { botToken }), ...(clientSecret && { clientSecret }) };
  const typed = await askHidden(`Bot token (or set ${secretVariables.botToken}): `);
  if (typed) return { botToken: typed };
  throw new UsageError(
    `A credential is needed: set ${secretVariables.botToken}, or ${secretVariables.clientSecret} for an application without a bot.`,
  );
}
