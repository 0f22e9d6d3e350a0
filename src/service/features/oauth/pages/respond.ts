import type { FastifyReply } from 'fastify';
import type { Page } from './views/page.ts';
import { styleSource } from './views/style.ts';

/** What a browser gets: a page or a redirect. */
export type Outcome = Page | { readonly html?: never; readonly redirectTo: string };

/** These keep pages out of caches, frames and other sites' logs, and prevent guesses of their type. */
const headers = {
  'cache-control': 'no-store',
  // Not `no-referrer`: browsers would then send `Origin: null` with the pages' own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Sends an outcome. A redirect is followed with GET, whatever the method of this request was. */
export function respond(reply: FastifyReply, outcome: Outcome): FastifyReply {
  reply.headers(headers);
  if (outcome.html && outcome.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(Math.ceil(outcome.retryAfterSeconds)));
  }
  if (!outcome.html) return reply.code(303).header('location', headerText(outcome.redirectTo)).send();
  return reply
    .code(outcome.status)
    .header('content-security-policy', contentPolicy(outcome.formActions))
    .type('text/html; charset=utf-8')
    .send(outcome.html.text);
}

/** A registered redirect may contain characters that a header cannot. */
function headerText(address: string): string {
  return address.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function contentPolicy(formActions: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action ${["'self'", ...formActions].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
