/** The entry point `@rallypoint/sdk/react`: hooks for React 18 and newer, for a client and for a window's client alike. */
export {
  type CommandsSource,
  type LobbiesSource,
  type LobbySource,
  type MessagesSource,
  type StatusSource,
  useCommands,
  useLobbies,
  useLobby,
  useMember,
  useMembers,
  useMessages,
  useStatus,
  useStream,
  useUnreadCount,
} from './hooks.ts';
