import type { Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import type { ReceivedInteraction } from './received-interaction.ts';

export type InteractionHandler = (interaction: ReceivedInteraction) => void | Promise<void>;

/** What happens when a handler throws. */
export interface HandlerFailures {
  /** Default: the error is logged. */
  readonly onError?: ((error: unknown, interaction: ReceivedInteraction) => void) | undefined;
  readonly logger: Logger;
}

/** Resolves with whether the handler returned without an error. Never rejects. */
export async function runHandler(
  handler: InteractionHandler,
  interaction: ReceivedInteraction,
  { onError, logger }: HandlerFailures,
): Promise<boolean> {
  try {
    await handler(interaction);
    return true;
  } catch (error) {
    report(error);
    return false;
  }

  function report(error: unknown): void {
    try {
      if (onError) onError(error, interaction);
      else log(error, 'an interaction handler failed');
    } catch (another) {
      log(another, 'onError failed');
    }
  }

  function log(error: unknown, message: string): void {
    logger.error({ interaction: interaction.payload.id, error: reportError(error) }, message);
  }
}
