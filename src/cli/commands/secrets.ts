import { environmentVariables } from '../../wire/environment-variables.ts';
import { UsageError } from '../command-line.ts';
import type { Terminal } from '../terminal.ts';

/** The application's secrets, and what they are called in messages: `the bot token of RALLYPOINT_BOT_TOKEN`. */
export interface Secrets {
  readonly botToken?: string;
  readonly clientSecret?: string;
  /** The one that calls of commands are made with. */
  readonly name: string;
}

/**
 * Reads the application's secrets from the environment or, at a terminal, from a hidden prompt.
 *
 * @throws UsageError there is neither
 */
export async function readSecrets({ environment, askHidden }: Terminal): Promise<Secrets> {
  const { botToken: tokenVariable, clientSecret: secretVariable } = environmentVariables;
  const botToken = environment[tokenVariable];
  const clientSecret = environment[secretVariable];
  if (botToken || clientSecret) {
    const name = botToken ? `the bot token of ${tokenVariable}` : `the client secret of ${secretVariable}`;
    return { ...(botToken && { botToken }), ...(clientSecret && { clientSecret }), name };
  }
  const typed = await askHidden(`Bot token (or set ${tokenVariable}): `);
  if (typed) return { botToken: typed, name: 'the bot token that was typed in' };
  const empty = [tokenVariable, secretVariable].filter(name => environment[name] === '');
  const hint = empty.length > 0 ? ` (${empty.join(' and ')}: set, but empty)` : '';
  throw new UsageError(
    `A credential is missing: set ${tokenVariable}, or ${secretVariable} for an application without a bot${hint}.`,
  );
}
