/** Options of the network's OAuth clients for an app that its developer runs on this computer. */

/** @param at URL of the server, its issuer */
export function loopbackClient<const Redirect extends string>(at: string, scope: string, redirect: Redirect) {
  return {
    clientMetadata: {
      client_id: `http://localhost?${new URLSearchParams({ redirect_uri: redirect, scope })}`,
      redirect_uris: [redirect] as [Redirect],
      response_types: ['code'] as ['code'],
      grant_types: ['authorization_code', 'refresh_token'] as ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      dpop_bound_access_tokens: true,
      scope,
    },
    allowHttp: true,
    handleResolver: at,
    plcDirectoryUrl: at,
  } as const
}
