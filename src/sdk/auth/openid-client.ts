/**
 * The parts of openid-client that are called here, by name: loaded as a whole, a game's bundler would have to keep all of it, and
 * the libraries under it.
 */
export {
  allowInsecureRequests,
  authorizationCodeGrant,
  Configuration,
  clockSkew,
  customFetch,
  genericGrantRequest,
  initiateDeviceAuthorization,
  None,
  ResponseBodyError,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client';
