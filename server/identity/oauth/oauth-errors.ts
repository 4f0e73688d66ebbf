/** Errors of the OAuth endpoints (RFC 6749 §5.2, RFC 9126 §2.3, RFC 9449 §5). */

/** The codes that this server sends, and their HTTP status. */
const statuses = {
  invalid_request: 400,
  invalid_client: 400,
  invalid_client_metadata: 400,
  invalid_redirect_uri: 400,
  invalid_grant: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
  access_denied: 403,
  slow_down: 429,
  server_error: 500,
  temporarily_unavailable: 503,
} as const

export type OAuthErrorCode = keyof typeof statuses

/** An error response. Code and message are sent to the client as they are. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, message: string) {
    super(message)
    this.name = 'OAuthError'
    this.code = code
  }

  get status(): number {
    return statuses[this.code]
  }

  /** The response body. */
  toJSON(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.message }
  }
}
