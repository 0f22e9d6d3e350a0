import { isScope, type Scope, umbrellaScopes } from '../../../model/oauth.ts';

/** What each scope lets an application do, as its user is told. */
const words: Readonly<Record<Scope, string>> = {
  'account.global_name.update': 'Change the name you are shown by',
  'activities.invites.write': 'Send game invites for you',
  'activities.read': 'See what you are playing',
  'activities.write': 'Show others what you are playing',
  'application_identities.write': 'Link your account in the game with this one',
  'applications.builds.read': 'See builds of your applications',
  'applications.builds.upload': 'Upload builds of your applications',
  'applications.commands': 'Add its commands where you use it',
  'applications.commands.permissions.update': 'Set who may use its commands in servers you manage',
  'applications.commands.update': 'Change its own commands',
  'applications.entitlements': 'See what you own in your applications',
  'applications.store.update': 'Change the store pages of your applications',
  bot: 'Add its bot to a server',
  connections: 'See your linked accounts elsewhere',
  'dm_channels.messages.read': 'Read your direct messages',
  'dm_channels.messages.write': 'Send direct messages for you',
  'dm_channels.read': 'See whom you have direct messages with',
  email: 'See your e-mail address',
  'gateway.connect': 'Receive events for you while you play',
  'gdm.join': 'Add you to group chats',
  guilds: 'See which servers you are in',
  'guilds.channels.read': 'See the channels of your servers',
  'guilds.join': 'Add you to servers',
  'guilds.members.read': 'See your name and roles in your servers',
  identify: 'See your user name and avatar',
  'identify.premium': 'See whether you are a subscriber',
  'lobbies.write': 'Create, join and leave game lobbies for you',
  'messages.read': 'Read messages in your own client',
  openid: 'Confirm to the game that it is you',
  'payment_sources.country_code': 'See the country of your payment method',
  'presences.read': 'See when your friends are online',
  'presences.write': 'Show when you are online',
  'relationships.read': 'See your friends and whom you block',
  'relationships.write': 'Add and remove friends, block and unblock for you',
  'role_connections.write': 'Update your details that servers give roles for',
  rpc: 'Control your own client',
  'rpc.activities.write': 'Show others what you are playing, through your own client',
  'rpc.notifications.read': 'Read notifications in your own client',
  'rpc.screenshare.read': 'See whether you share your screen',
  'rpc.screenshare.write': 'Start and stop sharing your screen',
  'rpc.video.read': 'See your video settings',
  'rpc.video.write': 'Change your video settings',
  'rpc.voice.read': 'See your voice settings and who is talking',
  'rpc.voice.write': 'Change your voice settings',
  'sdk.social_layer': 'Bring your friends, chats and lobbies into the game',
  'sdk.social_layer_presence': 'Bring your friends and what they play into the game',
  voice: 'Join voice chats for you',
  'webhook.incoming': 'Post messages to a channel',
};

/** A scope in words. */
export interface ScopeWords {
  readonly scope: string;
  readonly text: string;
  /** What an umbrella scope stands for; empty for the others. */
  readonly includes: readonly string[];
}

export function scopeWords(scope: string): ScopeWords {
  if (!isScope(scope)) return { scope, text: scope, includes: [] };
  const inner = (umbrellaScopes[scope] ?? []).filter(one => umbrellaScopes[one] === undefined);
  return { scope, text: words[scope], includes: inner.map(one => words[one]) };
}
