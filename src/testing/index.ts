/** `@rallypoint/sdk/testing`: a world for the tests of a game, with players, chat clients, time and faults. */
export type { OptionInputs } from './command-input.ts';
export type { Duration } from './duration.ts';
export {
  type RecordedPorts,
  type RecordedWorld,
  Recorder,
  type RecordOptions,
  record,
  recordingBytesMax,
} from './recording/record.ts';
export { recordService, ServiceRecorder } from './recording/record-service.ts';
export {
  type ClientState,
  clientState,
  type RecordedAnswer,
  type RecordedFailure,
  type RecordedRequest,
  type RecordedSocketEvent,
  type RecordedState,
  Recording,
  type RecordingEntry,
  type RecordingHeader,
  readRecording,
  recordingVersion,
} from './recording/recording.ts';
export {
  type ReplayDifference,
  type ReplayOptions,
  type ReplayReport,
  type ReplaySkip,
  replayAgainstService,
} from './recording/replay.ts';
export { RecordingServer, type ServedPorts, type ServeRecordingOptions, serveRecording } from './recording/serve.ts';
export type { ExpectedCall, Traffic, TrafficCall, TrafficFilter, TrafficWrite } from './traffic.ts';
export { createWorld, type World, type WorldOptions, type WorldSnapshot } from './world.ts';
export type { Times, WorldFaults } from './world-faults.ts';
export { createFixtures, type WorldFixturesOptions } from './world-fixtures.ts';
export type { Place, Reply, WorldUser } from './world-user.ts';
