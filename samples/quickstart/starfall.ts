import type { Fixtures } from '@rallypoint/sdk/service';

/** The game of this story: its application, two players, and a guild where the game's commands can be used. */
export const applicationId = '1054951789318909972';
export const botToken = 'starfall-bot-token-for-this-machine-only';
export const ada = { id: '1054951789318909001', username: 'ada', global_name: 'Ada' };
export const grace = { id: '1054951789318909002', username: 'grace', global_name: 'Grace' };
export const guildId = '1054951789318909100';
export const channelId = '1054951789318909101';

export const fixtures: Fixtures = {
  applications: [
    {
      id: applicationId,
      name: 'Starfall',
      owner_id: ada.id,
      bot_token: botToken,
      // A desktop game cannot keep a secret: it proves itself by PKCE alone.
      public_client: true,
      redirect_uris: ['http://127.0.0.1/callback'],
      embedded: true,
    },
  ],
  users: [ada, grace],
  guilds: [
    {
      id: guildId,
      name: 'Harbour',
      owner_id: ada.id,
      applications: [applicationId],
      channels: [{ id: channelId, type: 0, name: 'general' }],
      members: [{ user_id: ada.id }, { user_id: grace.id }],
    },
  ],
};
