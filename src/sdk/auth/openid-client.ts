/**
 * The parts of openid-client that are used. Importing the whole namespace would make a game's bundler include all of it, and the
 * libraries that it imports.
 */
export {
  allowInsecureRequests,
  Configuration,
  clockSkew,
  clockTolerance,
  customFetch,
  genericGrantRequest,
  initiateDeviceAuthorization,
  None,
  ResponseBodyError,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client';
