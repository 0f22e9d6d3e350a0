/** What a player reads: what went wrong, and what to do about it. */
export interface PlayerWords {
  readonly message: string;
  readonly remedy?: string;
}

type Words = Readonly<Record<string, PlayerWords>>;

const signInAgain = 'Sign in again.';
const tryLater = 'Try again in a moment.';
const thisRunOnly = 'Try again, or sign in for this run only.';
const noScheme = 'Sign in anyway: the browser comes back to the game another way.';
const reportIt = 'Start the game again. If it happens again, tell the makers of the game.';
const updateIt = 'Update the game. If that does not help, tell its makers.';
const mistake: PlayerWords = { message: 'The game made a mistake.', remedy: reportIt };
const lookFirst = 'It may have arrived: look before you repeat it.';

/** No answer came, or none that can be read. */
const transport: Words = {
  aborted: { message: 'This was cancelled.', remedy: 'Nothing was changed. Start again whenever you like.' },
  browser_unavailable: {
    message: 'Your browser could not be opened.',
    remedy: 'Set a default browser in your system, then sign in again.',
  },
  call_ended: { message: 'The call has ended.' },
  client_not_ready: { message: 'The game is not connected.', remedy: 'Wait until the connection is back.' },
  connection_lost: { message: 'The connection broke before the answer came.', remedy: lookFirst },
  connection_ended: { message: 'The service ended the connection.', remedy: 'The game tries again by itself.' },
  gateway_closed: {
    message: 'The service does not let you connect.',
    remedy: 'Sign out and in again. If that does not help, update the game.',
  },
  deadline_exceeded: { message: 'This took too long.', remedy: lookFirst },
  lobby_ended: { message: 'The lobby has ended, or you are no longer in it.' },
  main_process_failed: { message: 'Something went wrong in the game itself.', remedy: reportIt },
  no_loopback: {
    message: 'The browser would not find its way back to the game.',
    remedy:
      'A security program may keep the game from listening on this computer (127.0.0.1). Allow it, then sign in again.',
  },
  unreachable: {
    message: 'The service cannot be reached.',
    remedy: 'Check that this computer is online, then try again.',
  },
  unreadable_answer: { message: 'The service sent an answer that the game cannot read.', remedy: tryLater },
};

/** Signing in and staying signed in. */
const signIn: Words = {
  access_denied: { message: 'You said no in the browser.', remedy: 'Sign in again if you change your mind.' },
  consent_required: { message: 'The service needs your answer in the browser.', remedy: signInAgain },
  expired_token: { message: 'Signing in took too long.', remedy: signInAgain },
  interaction_required: { message: 'The service needs your answer in the browser.', remedy: signInAgain },
  login_required: { message: 'The service needs you to sign in in the browser.', remedy: signInAgain },
  oauth_error: { message: 'The service did not accept the sign-in.', remedy: tryLater },
  unauthorized_client: { message: 'The service does not let you sign in to this game.', remedy: updateIt },
  unsupported_grant_type: { message: 'The service does not let you sign in this way.', remedy: updateIt },
  unsupported_response_type: { message: 'The service does not let you sign in this way.', remedy: updateIt },
  invalid_client: {
    message: 'The service does not know this game.',
    remedy: updateIt,
  },
  invalid_grant: { message: 'Your sign-in is no longer valid.', remedy: signInAgain },
  invalid_id_token: { message: 'The service could not prove who you are.', remedy: signInAgain },
  wrong_issuer: { message: 'Another service answered than the one that the game uses.', remedy: reportIt },
  invalid_request: {
    message: 'The service did not accept the sign-in.',
    remedy: updateIt,
  },
  invalid_scope: {
    message: 'The game asked for something that the service does not grant.',
    remedy: updateIt,
  },
  server_error: { message: 'The service could not sign you in.', remedy: tryLater },
  temporarily_unavailable: { message: 'The service is busy.', remedy: tryLater },
  no_usable_token: { message: 'Your sign-in has ended.', remedy: signInAgain },
  signed_out: { message: 'You are signed out.', remedy: signInAgain },
  authorization_in_progress: {
    message: 'You are already signing in.',
    remedy: 'Finish in your browser, or cancel here.',
  },
  foreign_redirect: { message: 'This answer belongs to another sign-in.', remedy: signInAgain },
};

/** Where the sign-in is kept. */
const keychain: Words = {
  keychain_busy: { message: 'Another program is using your keychain.', remedy: thisRunOnly },
  keychain_denied: {
    message: 'Your system did not let the game use the keychain.',
    remedy: 'Allow it when the system asks, or sign in for this run only.',
  },
  keychain_folder: {
    message: "The game's own folder cannot be written.",
    remedy: 'Check that it belongs to you and that the disk is not full.',
  },
  keychain_locked: {
    message: 'Your keychain is locked.',
    remedy: 'Unlock it and try again, or sign in for this run only.',
  },
  keychain_missing: {
    message: 'This computer has no keychain that the game can use.',
    remedy: 'On Linux, install libsecret and GNOME Keyring or KWallet; or sign in for this run only.',
  },
  keychain_no_bus: {
    message: 'No desktop session is running, so there is no keychain.',
    remedy: 'Start the game from your desktop, or sign in for this run only.',
  },
  keychain_no_collection: {
    message: 'Your keychain has not been set up yet.',
    remedy: 'Create a keyring in your system’s password program, or sign in for this run only.',
  },
  keychain_timeout: { message: 'Your keychain does not answer.', remedy: thisRunOnly },
  keychain_unprotected: {
    message: 'Other users of this computer could read what the game would keep.',
    remedy: 'Sign in for this run only.',
  },
  keychain_unreadable: {
    message: 'Your kept sign-in was changed by another program and cannot be read.',
    remedy: signInAgain,
  },
  keychain_unusable: { message: 'Your keychain does not work.', remedy: thisRunOnly },
  lock_unusable: {
    message: "The game's own folder is on a disk that the game cannot use.",
    remedy: 'Move your profile to a local disk, or sign in for this run only.',
  },
};

/** The way back from the browser by the game's own scheme. */
const redirect: Words = {
  cannot_listen: { message: 'The browser cannot hand you back to the running game.', remedy: noScheme },
  elevated: {
    message: 'The game runs as administrator, and your browser does not.',
    remedy: 'Start the game without administrator rights.',
  },
  folder_not_private: { message: 'Other users of this computer can reach the way back to the game.', remedy: noScheme },
  listener_not_ours: {
    message: 'Another copy of the game, by another user, takes the way back from the browser.',
    remedy: 'End the other copy, then try again.',
  },
  no_folder: { message: 'The game cannot make the folder for the way back from the browser.', remedy: noScheme },
  registration_failed: { message: 'Your system did not accept the game’s own addresses.', remedy: noScheme },
  registration_unavailable: { message: 'This system has no addresses of the game’s own.', remedy: noScheme },
  socket_path_too_long: { message: 'Your user folder has a very long name.', remedy: noScheme },
};

/** What the service answers to the calls of a player. */
const service: Words = {
  api_error: { message: 'The service did not accept this.', remedy: tryLater },
  request_timeout: { message: 'Your connection is too slow for the service.', remedy: tryLater },
  rate_limited: { message: 'That was too often.', remedy: tryLater },
  account_locked: { message: 'The service is changing your account right now.', remedy: tryLater },
  unavailable: { message: 'The service is busy or under repair.', remedy: tryLater },
  overloaded: { message: 'The service is busy.', remedy: tryLater },
  unknown_application: {
    message: 'The service does not know this game.',
    remedy: updateIt,
  },
  unknown_lobby: { message: 'This lobby has ended.', remedy: 'Create a new one, or ask for a new code.' },
  unknown_member: { message: 'This player is not in the lobby any more.' },
  unknown_message: { message: 'This message was deleted.' },
  unknown_user: { message: 'This player does not exist any more.' },
  not_a_lobby_member: { message: 'You are not in this lobby any more.', remedy: 'Join it again with its code.' },
  blocked: { message: 'You cannot reach this player.' },
  missing_access: { message: 'You may not do this.', remedy: 'A lobby of the game server is left by the server only.' },
  missing_permissions: { message: 'You may not do this.' },
  missing_scope: { message: 'You did not allow the game to do this.', remedy: 'Sign out and in again, and agree.' },
  invalid_access_token: { message: 'Your sign-in is no longer valid.', remedy: 'Sign out and in again.' },
  empty_message: { message: 'There is nothing to send.', remedy: 'Write something first.' },
  request_too_large: { message: 'This is too long to be sent.', remedy: 'Make it shorter.' },
};

/** What the game's server answers. */
const gameServer: Words = {
  backend_unreachable: { message: 'The game server cannot be reached.', remedy: tryLater },
  unauthorized: { message: 'Your sign-in is no longer valid.', remedy: 'Sign out and in again.' },
  wrong_application: { message: 'This sign-in belongs to another game.', remedy: 'Sign out and in again.' },
  not_the_owner: { message: 'Only the owner of the game may change this.', remedy: 'Sign in as the owner.' },
  invalid_command: { message: 'Some of this cannot be saved.', remedy: 'Correct the marked fields.' },
  body_too_large: { message: 'This is too long to be saved.', remedy: 'Make it shorter.' },
  try_later: { message: 'That was too often.', remedy: tryLater },
  service_unavailable: { message: 'The game server cannot reach the service.', remedy: tryLater },
  internal_error: { message: 'Something went wrong.', remedy: tryLater },
};

/** What the game itself refuses. */
const ownRules: Words = {
  late_redirect: { message: 'You came back from the browser to a sign-in that has ended.', remedy: signInAgain },
  mistyped_code: {
    message: 'This is not a code of a lobby.',
    remedy: 'Compare it with the one that you were given: a letter is wrong or missing.',
  },
  no_such_lobby: {
    message: 'No lobby has this code any more.',
    remedy: 'Ask for a new code, or create the lobby again.',
  },
  revoked: { message: 'The game may no longer act for you.', remedy: signInAgain },
  expired: { message: 'Your sign-in has ended.', remedy: signInAgain },
  signed_out_elsewhere: { message: 'You signed out in another window.' },
  interrupted: { message: 'Your sign-in could not be renewed, because an answer was lost.', remedy: signInAgain },
};

/** Friends, what they play, and messages to them. */
const friends: Words = {
  activity_expired: { message: 'This invite has expired.', remedy: 'Ask for a new one.' },
  already_friends: { message: 'You are friends already.' },
  application_not_authorized: { message: 'This player no longer plays this game.' },
  bots_have_no_friends: { message: 'This is a program, not a player.' },
  cannot_send_to_user: { message: 'You cannot write to this player.', remedy: 'Become friends, or meet in the game.' },
  friend_request_blocked: { message: 'You cannot become friends with this player.' },
  friend_request_to_self: { message: 'This is your own name.', remedy: 'Enter the name of another player.' },
  friend_requests_disabled: { message: 'This player does not want requests.' },
  game_friend_messages_off: {
    message: 'This player reads messages in the game only.',
    remedy: 'Write when they play.',
  },
  invalid_activity_action: {
    message: 'There is nothing to join.',
    remedy: 'Open a lobby with a free place first, then invite your friend.',
  },
  invalid_recipient: { message: 'You cannot write to yourself.' },
  invalid_status: { message: 'There is no such status.' },
  no_activity_access: { message: 'You may not join this player.', remedy: 'Ask them for an invite.' },
  no_common_application: { message: 'This player does not play this game.' },
  no_friend_request: { message: 'This request is no longer there.' },
  no_mutual_guilds: { message: 'You cannot write to this player.', remedy: 'Become friends, or meet in the game.' },
  not_friends: { message: 'You are not friends.', remedy: 'Send a request first.' },
  not_joinable: { message: 'There is nothing to join now.', remedy: tryLater },
  not_the_author: { message: 'Somebody else wrote this.' },
  opening_messages_too_fast: { message: 'You have started too many conversations in a short time.', remedy: tryLater },
  provisional_user_offline: {
    message: 'This player can be reached in the game only.',
    remedy: 'Write when they play.',
  },
  too_many_blocks: { message: 'You have blocked as many players as you can.', remedy: 'Unblock somebody first.' },
  too_many_friends: {
    message: 'One of you has as many friends, or requests that wait, as possible.',
    remedy: 'Remove some first.',
  },
  unknown_invite: { message: 'This invite is no longer there.', remedy: 'Ask for a new one.' },
  unknown_session: { message: 'This player is no longer in the game.' },
  unknown_username: {
    message: 'Nobody has this name.',
    remedy: 'Look how it is written: it is the name to sign in with.',
  },
  wrong_relationship: { message: 'This has changed meanwhile.', remedy: 'Look at your friends again.' },
};

/** By code. What is missing here only a mistake in the game's own code or settings leads to. */
const wordsByCode: Words = {
  ...service,
  ...friends,
  ...gameServer,
  ...transport,
  ...signIn,
  ...keychain,
  ...redirect,
  ...ownRules,
};

/** @returns what to tell a player about an error with this code; of an unknown one, that the game made a mistake */
export function playerWords(code: string): PlayerWords {
  return wordsByCode[code] ?? { ...mistake, message: `The game made a mistake (${code}).` };
}
