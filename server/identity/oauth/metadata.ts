/** The documents by which clients find the authorization server: RFC 9728 (resource) and RFC 8414 (server). */

/** Describes this server as the owner of the accounts' data. @param origin public URL, without a trailing slash */
export function resourceMetadata(origin: string) {
  return {
    resource: origin,
    authorization_servers: [origin],
    scopes_supported: [],
    bearer_methods_supported: ['header'],
    resource_documentation: 'https://atproto.com',
  }
}

/** Describes the authorization server. @param issuer public URL, without a trailing slash */
export function serverMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/oauth/jwks`,
    scopes_supported: ['atproto', 'transition:email', 'transition:generic', 'transition:chat.bsky'],
    subject_types_supported: ['public'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['en'],
    display_values_supported: ['page', 'popup', 'touch'],
    authorization_response_iss_parameter_supported: true,
    require_pushed_authorization_requests: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256'],
    revocation_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    revocation_endpoint_auth_signing_alg_values_supported: ['ES256'],
    dpop_signing_alg_values_supported: ['ES256'],
    client_id_metadata_document_supported: true,
    protected_resources: [issuer],
  }
}
