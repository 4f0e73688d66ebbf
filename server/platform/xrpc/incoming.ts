/** A call of a method or a subscription, as it arrives. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, Observation } from './method.ts'

/** The name of a method as called, which may be an alias, and as the method is defined. */
export interface MethodName {
  readonly called: string
  readonly nsid: string
}

/** A call, before this server or another service answers it. */
export interface IncomingCall {
  readonly name: MethodName
  readonly query: string
  readonly caller: Caller
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Absent unless requests are observed. */
  readonly observation: Observation | undefined
}
