/** A request that pushes a notification. */
export interface PushRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}
