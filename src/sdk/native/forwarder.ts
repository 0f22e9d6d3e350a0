/**
 * The protocol between the forwarder (`native/forwarder`) and the game. The forwarder is started as
 * `rallypoint-forwarder <socket path> <program> [arguments…] <address>`; the system appends the address. It writes the
 * address as one line to the socket and reads one line, an answer.
 *
 * `native/forwarder/protocol.h` has the same figures for C++; a test keeps the two equal.
 */
export const forwarderAgreement = {
  /** The longest address, in bytes of UTF-8 without the line feed. */
  addressBytesMax: 8192,
  /** How long the game may take to accept the connection. */
  connectMsMax: 100,
  /** How long the game may take to answer. */
  answerMsMax: 2000,
} as const;

/** The game's answer, sent as a line: whether a window waited for this address. */
export const forwarderAnswers = ['accepted', 'refused'] as const;
export type ForwarderAnswer = (typeof forwarderAnswers)[number];

/** The forwarder's exit codes. */
export const forwarderExitCodes = {
  /** The running game accepted the address. */
  accepted: 0,
  /** The running game rejected the address. */
  refused: 1,
  /** The arguments are wrong, or the last one is not an address. */
  usage: 2,
  /** No game was running; it was started with the address as its last argument. */
  started: 3,
  /** No game was running, and it could not be started. */
  not_started: 4,
  /** Another user listens, or other users could have created the socket; nothing was sent. */
  not_private: 5,
  /** The running game did not answer in time, or gave an unknown answer. */
  no_answer: 6,
} as const;
export type ForwarderOutcome = keyof typeof forwarderExitCodes;
