/**
 * A subscription consists of its lexicon, an auth word that determines who may subscribe, and a handler that yields messages.
 * `subscriptionFactory` binds auth words and services, as `methodFactory` does.
 */
import type { l } from '@atproto/lex-schema'
import type { Caller, Lexicon } from './method.ts'
import type { XrpcError } from './xrpc-errors.ts'

export type SubscriptionSchema = l.Subscription

/** The arguments of a handler, besides the services, once a client is connected. */
export interface SubscriptionCall<S extends SubscriptionSchema, Credentials> {
  readonly params: l.InferOutput<S['parameters']>
  readonly auth: Credentials
  readonly caller: Caller
  /** Aborts when the connection ends: the handler returns. */
  readonly signal: AbortSignal
  /** Ends the connection with an error, even while the client does not read. */
  readonly end: (error: XrpcError) => void
}

/** A message of the lexicon, with links and bytes in their JSON form, or a whole frame. */
export type Message<S extends SubscriptionSchema> = l.InferOutput<S['message']> | Uint8Array

export interface SubscriptionDefinition<S extends SubscriptionSchema, Word, Credentials, Services> {
  /** Who may subscribe. The connection ends with the credentials. */
  readonly auth: Word
  /** Whether the account must be active. */
  readonly active?: boolean
  /** Concurrent connections per account; per address for clients without one. */
  readonly connections: number
  /**
   * Yields messages, usually an `async function*`. It is asked for the next one when the client keeps up. The connection closes
   * when it returns, with an error frame when it throws an XrpcError.
   */
  readonly handler: (call: Services & SubscriptionCall<S, Credentials>) => AsyncIterable<Message<S>>
}

/** A subscription ready for use, its types erased. */
export interface Subscription<Word = string, Services = unknown> {
  readonly nsid: string
  readonly schema: SubscriptionSchema
  readonly auth: Word
  readonly active: boolean
  readonly connections: number
  readonly handler: (call: Services & SubscriptionCall<SubscriptionSchema, unknown>) => AsyncIterable<unknown>
}

/** @typeParam Words maps each auth word to the credentials that it yields. */
export function subscriptionFactory<Words, Services>() {
  return function subscription<S extends SubscriptionSchema, Word extends keyof Words & string>(
    { main: schema }: Lexicon<S>,
    definition: SubscriptionDefinition<S, Word, Words[Word], Services>,
  ): Subscription<keyof Words & string, Services> {
    return {
      nsid: schema.nsid,
      schema,
      auth: definition.auth,
      active: definition.active ?? false,
      connections: definition.connections,
      handler: definition.handler as Subscription<Word, Services>['handler'],
    }
  }
}
