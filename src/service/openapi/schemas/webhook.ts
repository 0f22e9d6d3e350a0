import { anyObject, object } from '../json-schema.ts';

/** What is sent to webhooks that are not there; nothing of it is looked at. */
export const webhookSchemas = {
  WebhookEdit: object('What would be changed of a webhook', {}),
  ForeignMessage: { ...anyObject, description: 'A message in the form of another service' },
};
