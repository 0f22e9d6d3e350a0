import type { ServiceAddresses } from '../service/index.ts';
import { nodeFetch } from './node-fetch.ts';

/** A request of the service's control API. @throws Error with the answer's message and `status` */
export async function control<Answer>(
  { controlBase, controlToken }: ServiceAddresses,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await nodeFetch(controlBase + path, {
    method,
    headers: {
      authorization: `Bearer ${controlToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) {
    const { status } = answer;
    throw Object.assign(new Error(`${method} /control${path} answered ${status}: ${text}`), { status });
  }
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** The token of a user's own client. */
export async function sessionToken(service: ServiceAddresses, userId: string): Promise<string> {
  return (await control<{ token: string }>(service, 'POST', `/users/${userId}/session`)).token;
}

/** What the consent page does when the user agrees. @returns where the browser is sent */
export async function approve(service: ServiceAddresses, authorizeUrl: string, userId: string): Promise<string> {
  const body = { authorize_url: authorizeUrl, user_id: userId, decision: 'approve' };
  return (await control<{ redirect_to: string }>(service, 'POST', '/consent', body)).redirect_to;
}
