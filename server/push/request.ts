/** A request by which a notification is pushed. */
export interface PushRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}
