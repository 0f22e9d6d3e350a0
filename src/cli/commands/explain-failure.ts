import { nodeTransport, type Transport } from '../../backend/index.ts';
import { ApiError, apiErrors, OAuthError, RallypointError, TransportError } from '../../model/errors/errors.ts';
import { routeLabel } from '../../wire/routes.ts';
import { CommandFailure, UsageError } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { printable } from '../paint.ts';
import type { Secrets } from './secrets.ts';
import type { CommandsSettings } from './settings.ts';

/** The calls that were made, which errors name by their route alone. */
export interface CallLog {
  readonly transport: Transport;
  /** Method and address of the last call of a route. @param route method and path template, as an ApiError has it */
  lastOf(route: string): string | undefined;
}

export function callLog(): CallLog {
  const real = nodeTransport();
  const calls: string[] = [];
  return {
    transport: {
      send(request) {
        const { origin, pathname } = new URL(request.url);
        calls.push(`${request.method} ${origin}${pathname}`);
        return real.send(request);
      },
      close: () => real.close(),
    },
    lastOf(route) {
      const [method, path = ''] = route.split(' ');
      const form = new RegExp(`^${method} .*${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      return calls.findLast(call => form.test(call));
    },
  };
}

/** The message of a failed action: what failed, and which setting to check. */
export function explainFailure(
  error: unknown,
  { settings, secrets, calls }: { settings: CommandsSettings; secrets: Secrets; calls: CallLog },
): unknown {
  if (!(error instanceof RallypointError)) return error;
  const text = printable(explanation(error, settings, secrets, calls));
  // Nothing was sent: it is as wrong as one that is missing.
  return error.code === 'invalid_credential' ? new UsageError(text) : new CommandFailure(text);
}

function explanation(
  error: RallypointError,
  { baseUrl, baseUrlSource, applicationId, applicationIdSource, guildId }: CommandsSettings,
  { name: credential }: Secrets,
  calls: CallLog,
): string {
  const message = errorMessage(error);
  if (error instanceof TransportError) return `${message} (The address comes from ${baseUrlSource}.)`;
  if (error.code === 'invalid_credential') return `${message} That is ${credential}.`;
  if (error instanceof OAuthError) {
    return `${calls.lastOf(routeLabel('createToken'))}: ${message} The secret is ${credential}.`;
  }
  if (!(error instanceof ApiError)) return message;
  const told = message.replace(error.route, calls.lastOf(error.route) ?? error.route);
  const { status, code } = error;
  if (status === apiErrors.unauthorized.status) {
    return `${told}. The service did not accept ${credential}: is it the current one of application ${applicationId}, and is ${baseUrl} (${baseUrlSource}) the service that it belongs to?`;
  }
  if (code === 'not_your_application' || code === 'unknown_application') {
    return `${told}. Does ${credential} belong to application ${applicationId} (${applicationIdSource})?`;
  }
  if (guildId !== undefined && (code === 'unknown_guild' || code === 'missing_access')) {
    return `${told}. Is application ${applicationId} (${applicationIdSource}) in guild ${guildId} (--guild)?`;
  }
  // What is there is not the interface: its own errors have a code.
  if (code === 'not_found') return `${told}. Is ${baseUrl} (${baseUrlSource}) the base URL of the service?`;
  return told;
}
