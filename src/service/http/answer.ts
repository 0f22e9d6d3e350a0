import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdHeader } from '../telemetry/request-id.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** An answer that names the request it answers. All that the service's servers answer are of this class. */
// Declared fields, so that a request which needs none of them makes none.
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** In the header, and in log lines about the request. */
  declare requestId: string | undefined;
  /** The template of the path that was asked for; undefined while nothing is known to serve it. */
  declare route: string | undefined;

  /** Of its body, as its head says. */
  declare bytes: number | undefined;

  // Every answer comes by here, also one that begins without naming its head.
  override writeHead(status: number, second?: string | Headers, third?: Headers): this {
    if (typeof second !== 'object' || Array.isArray(second)) {
      if (this.requestId !== undefined) this.setHeader(requestIdHeader, this.requestId);
    } else {
      // Put beside the others: setting one header before costs more than writing all of them.
      if (this.requestId !== undefined) second[requestIdHeader] = this.requestId;
      const length = second['content-length'];
      if (length !== undefined) this.bytes = Number(length);
    }
    return super.writeHead(status, second as string, third);
  }
}

/** The id of the request that is answered. */
export function requestIdOf(response: ServerResponse): string | undefined {
  return (response as Answer).requestId;
}
