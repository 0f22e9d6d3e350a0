import type { Fixtures } from '@rallypoint/sdk/service';

/** The world of this sample: a game with an Activity, its owner, and two more who play it. */
export const applicationId = '1054951789318909972';
export const botToken = 'starfall-bot-token-for-this-machine-only';
export const owner = { id: '1054951789318909001', username: 'ada', global_name: 'Ada' };
export const friend = { id: '1054951789318909002', username: 'grace', global_name: 'Grace' };

export const fixtures: Fixtures = {
  applications: [
    {
      id: applicationId,
      name: 'Starfall',
      owner_id: owner.id,
      bot_token: botToken,
      // A desktop game cannot keep a secret: it proves itself by PKCE alone.
      public_client: true,
      // Both ways back from the browser: a free port of this machine, and the game's own scheme.
      redirect_uris: ['http://127.0.0.1/callback', `discord-${applicationId}:/authorize/callback`],
      embedded: true,
    },
  ],
  users: [owner, friend, { id: '1054951789318909003', username: 'edsger', global_name: 'Edsger' }],
};
